// Decodes base64 that was found in a text, and tells where in the text each part of it came from.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

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
