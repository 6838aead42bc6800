// Which bytes occur in plain text, sixteen at a time, and what single ones are.
#pragma once

#include <cstddef>
#include <string_view>

namespace turnlog {

constexpr bool IsBlank(char letter) { return letter == ' ' || letter == '\t'; }
constexpr bool IsLineBreak(char letter) { return letter == '\n' || letter == '\r'; }
constexpr bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }
inline constexpr char kTerminalEscape = '\x1b';  // begins what colors text in a terminal

// The first position from `at` on that is no printable ASCII, tab or line break.
std::size_t SkipPlainAscii(std::string_view text, std::size_t at);

// The position after the last of the first `count` bytes at text[at] that no text in UTF-8 has (control characters,
// bytes that begin no character); `at` if there is none. REQUIRES: so many bytes.
std::size_t SkipLastNonText(std::string_view text, std::size_t at, std::size_t count);

}  // namespace turnlog
