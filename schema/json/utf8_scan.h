#pragma once

#include <cstddef>
#include <string_view>

namespace turnlog {

// Well-formed UTF-8, at several bytes per cycle.
bool IsUtf8Fast(std::string_view text);

// The length of the longest well-formed beginning. Slow: for error messages.
std::size_t Utf8PrefixLength(std::string_view text);

}  // namespace turnlog
