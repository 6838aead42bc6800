// Finds base64 anywhere in a text: in either alphabet, with or without padding and line breaks, and directly after
// other letters, so that the beginning of a group of four is unknown.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "sanitize/secrets/byte_set.h"
#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

inline constexpr std::string_view kBase64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";
const ByteSet& Base64LetterSet();

// The maximal pieces of `text` that may be base64 of at least `min_bytes`. Wrapped lines are one piece; padding belongs
// to the piece before it.
std::vector<TextSpan> FindBase64Runs(std::string_view text, std::size_t min_bytes);

// Whether the run may be the beginning of a longer one in the decoded text, because an escape follows it that may stand
// for a line break.
bool MayGoOnAfterEscape(std::string_view text, TextSpan run);

// Whether a run goes over the end of a line.
bool IsWrapped(std::string_view run);

struct DecodedRuns {
  DecodedText decoded;
  std::size_t phase = 0;
  std::vector<std::size_t> whole;  // where in the decoded text a run begins that is text or has several lines
};

// Decodes the runs, assuming that a group of four begins at letter `phase` of each; adds a line break after each run.
// The source of every byte is the whole run. Removes runs that decode to text from `runs`: at another phase they cannot
// be text.
DecodedRuns DecodeBase64Runs(std::string_view text, std::vector<TextSpan>& runs, std::size_t phase);

// The part of `text` to remove so that `span` of the decoded text is gone: the whole run, because a part of a base64
// text is useless; or, if it does not decode to text, its part between slashes: it may be a path with base64 in it.
TextSpan Base64Source(std::string_view text, const DecodedRuns& runs, TextSpan span);

}  // namespace turnlog
