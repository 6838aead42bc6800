// Decodes escaped characters: with a backslash as in JSON, a percent sign as in URLs, or as entities of HTML.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

enum class EscapeKind : std::uint8_t { kAny, kBackslash, kPercent, kEntity };

// Decodes one level of escapes. More lenient than JSON: "\$", "\x24" and "\u{24}" are "$". Nothing if there are none.
std::optional<DecodedText> UndoEscapes(std::string_view text, EscapeKind kind = EscapeKind::kAny);

// `span` extended to whole backslash escapes, so that a JSON string without it is still valid.
TextSpan WholeEscapes(std::string_view text, TextSpan span);

}  // namespace turnlog
