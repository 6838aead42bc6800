// Base64 wherever it may stand in a text: in either alphabet, padded or not, in lines or not, and with other letters
// right before it, so that nobody knows where a group of four begins.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

inline constexpr std::size_t kBase64Phases = 4;

// The longest pieces of `text` that may be base64 and hold a value of at least `min_bytes`. Long lines that are broken
// are one piece; padding belongs to the piece before it.
std::vector<TextSpan> FindBase64Runs(std::string_view text, std::size_t min_bytes);

// What the runs say if a group of four begins with the letter number `phase` of each; a line break behind each run.
// Every byte has the whole run for its source, because half a base64 text is of no use to anybody. Runs that say text
// go from `runs`: at another phase they cannot say anything.
DecodedText DecodeBase64Runs(std::string_view text, std::vector<TextSpan>& runs, std::size_t phase);

}  // namespace turnlog
