// What a value looks like in encodings that change all of it in one known way, so that the encoded value can be
// searched for like the value itself.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/secret_string.h"

namespace turnlog {

// Of longer values, which are files, there are no forms: each would take as much memory as the value, or more.
inline constexpr std::size_t kMaxEncodedValue = std::size_t{16} << 10;

// Forms that are text, and so may be wrapped over lines: with "+" for spaces, in quoted-printable, in the other
// normalization forms of Unicode. Without forms that equal the value.
std::vector<SecretString> TextForms(std::string_view value);

// In hexadecimal digits of either case, alone or separated as in dumps and source code; in UTF-16.
std::vector<SecretString> ByteForms(std::string_view value);

}  // namespace turnlog
