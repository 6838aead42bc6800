// Decodes escaped characters: with a backslash as in JSON, or a percent sign as in URLs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

enum class EscapeKind : std::uint8_t { kAny, kBackslash, kPercent };

// Decodes one level of escapes. More lenient than JSON: "\$" and "\x24" are "$". Nothing if there are none.
std::optional<DecodedText> UndoEscapes(std::string_view text, EscapeKind kind = EscapeKind::kAny);

// `span` extended to whole backslash escapes, so that a JSON string without it is still valid.
TextSpan WholeEscapes(std::string_view text, TextSpan span);

}  // namespace turnlog
