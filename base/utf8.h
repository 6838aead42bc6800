#pragma once

#include <cstdint>
#include <string_view>

namespace turnlog {

// Well-formed UTF-8 by RFC 3629: no overlong forms, no surrogates. For short texts; schema/ checks long ones faster.
bool IsUtf8(std::string_view text);

// Calls `put` with each byte of the character. REQUIRES: `code` is at most U+10FFFF and no surrogate.
template <class Put>
void EncodeUtf8(std::uint32_t code, Put put) {
  const auto byte = [&](std::uint32_t value) { put(static_cast<char>(value)); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xe0 | code >> 12);
    } else {
      byte(0xf0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3f));
    }
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

}  // namespace turnlog
