// Values that providers and programs write for themselves and check later: signatures, encrypted contents, ids, hashes.
// Changing a letter of one breaks the conversation that it belongs to; none is a secret of the user.
// docs/redaction.md lists them.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

// All of the value that `span` is in, if it is the value of a JSON field whose name and form both say that it is
// opaque: a key that was pasted into a field named "signature" is not. The JSON may be part of a longer text and
// escaped any number of times. Cost: the length of the value.
std::optional<TextSpan> OpaqueAround(std::string_view text, TextSpan span);

// The same if it is sealed: its provider refuses what belongs to it if the value is missing.
std::optional<TextSpan> SealedAround(std::string_view text, TextSpan span);

// The spans, those within opaque values extended to all of these; in order, and not touching.
std::vector<TextSpan> WithWholeOpaque(std::string_view text, std::span<const TextSpan> spans);

}  // namespace turnlog
