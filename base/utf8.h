// UTF-8 by RFC 3629: no overlong forms, no surrogates. base/unicode.h says how characters are shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace turnlog {

// Well-formed, at several bytes per cycle.
bool IsUtf8(std::string_view text);

// The length of the longest well-formed prefix. Slow: for error messages.
std::size_t Utf8PrefixLength(std::string_view text);

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;
};
// The one that `text` begins with; none if that is not well-formed, or `text` is empty.
std::optional<CodePoint> DecodeUtf8(std::string_view text);

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
