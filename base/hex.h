#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace turnlog {

// The number that hexadecimal digits, 8 at most, stand for; nothing if one of them is something else.
inline std::optional<std::uint32_t> ParseHex(std::string_view digits) {
  std::uint32_t number = 0;
  for (const char digit : digits) {
    const char lower = static_cast<char>(digit | 0x20);
    const bool decimal = digit >= '0' && digit <= '9';
    if (!decimal && (lower < 'a' || lower > 'f')) return std::nullopt;
    number = number << 4 | static_cast<std::uint32_t>(decimal ? digit - '0' : lower - 'a' + 10);
  }
  return number;
}

}  // namespace turnlog
