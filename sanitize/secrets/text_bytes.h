// Which bytes occur in plain text, sixteen at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace turnlog {

// The first position from `at` on that is no printable ASCII, tab or line break.
std::size_t SkipPlainAscii(std::string_view text, std::size_t at);

// The position after the last of the first `count` bytes at text[at] that no text in UTF-8 has (control characters,
// bytes that begin no character); `at` if there is none. REQUIRES: so many bytes.
std::size_t SkipLastNonText(std::string_view text, std::size_t at, std::size_t count);

}  // namespace turnlog
