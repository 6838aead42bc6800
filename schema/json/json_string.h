// The strings of JSON text: what they stand for, and how they were written; and where values end whose text is known to
// be valid, or is not. json_scan.h says which are valid.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/vectors.h"

namespace turnlog {

struct UnescapedJson {
  std::string text;
  bool usual = true;  // AppendJsonString would write the token for it
};
// The text that a valid string token (quotes included) stands for.
UnescapedJson ReadJsonString(std::string_view token, Vectors most = Vectors::kAvx512);
// Writes what the inside of a valid string token stands for over it, and returns its length.
std::size_t UnescapeJsonInPlace(std::span<char> inside);
// Whether `token` is a string, and `usual`.
bool IsUsualJsonString(std::string_view token);

// The end of the string whose opening quote is text[begin], whatever is between its quotes; npos if it has none.
std::size_t FindJsonStringEnd(std::string_view text, std::size_t begin, Vectors most = Vectors::kAvx512);

// The end of the value that begins at text[begin], found by counting quotes and brackets: an invalid value ends where
// its writer intended. `begin` itself if there is no value; npos if it does not end.
std::size_t FindJsonEnd(std::string_view text, std::size_t begin);

}  // namespace turnlog
