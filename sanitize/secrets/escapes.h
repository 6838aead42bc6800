// Characters that are written as several: behind a backslash as in JSON, or behind a per cent sign as in URLs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

enum class EscapeKind : std::uint8_t { kAny, kBackslash, kPercent };

// Undoes one level of them. More freely than JSON: "\$" is "$", "\x24" too. Nothing if there are none.
std::optional<DecodedText> UndoEscapes(std::string_view text, EscapeKind kind = EscapeKind::kAny);

// `span` and what it cuts of a backslash escape at either end, so that a JSON string without it is still one.
TextSpan WholeEscapes(std::string_view text, TextSpan span);

}  // namespace turnlog
