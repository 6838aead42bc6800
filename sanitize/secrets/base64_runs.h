// Finds base64 anywhere in a text: in either alphabet, with or without padding and line breaks, and directly after
// other letters, so that the beginning of a group of four is unknown.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

inline constexpr std::size_t kBase64Phases = 4;

// The maximal pieces of `text` that may be base64 of at least `min_bytes`. Wrapped lines are one piece; padding belongs
// to the piece before it.
std::vector<TextSpan> FindBase64Runs(std::string_view text, std::size_t min_bytes);

// Decodes the runs, assuming that a group of four begins at letter `phase` of each; adds a line break after each run.
// The source of every byte is the whole run, because a part of a base64 text is useless. Removes runs that decode to
// text from `runs`: at another phase they cannot be text.
DecodedText DecodeBase64Runs(std::string_view text, std::vector<TextSpan>& runs, std::size_t phase);

}  // namespace turnlog
