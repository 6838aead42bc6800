// Reads a string of JSON text in one pass, which finds its end, checks it and copies what it stands for.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/vectors.h"

namespace turnlog {

struct JsonStringCopy {
  std::string_view text;  // what it stands for
  std::size_t end = 0;    // after its closing quote
};

// The string whose opening quote is text[begin]; nothing: ScanJsonString finds a fault in it. `to` has room for as many
// letters as `text` has from `begin` on: what of it is not in the returned text is undefined.
std::optional<JsonStringCopy> CopyJsonString(std::string_view text, std::size_t begin, char* to,
                                             Vectors most = Vectors::kAvx512);

}  // namespace turnlog
