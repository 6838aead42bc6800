// Finds base64 anywhere in a text: in either alphabet, with or without padding and line breaks, and directly after
// other letters, so that the beginning of a group of four is unknown.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/vectors.h"
#include "sanitize/secrets/byte_set.h"
#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

inline constexpr std::string_view kBase64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";
const ByteSet& Base64LetterSet();

// What is looked for in base64.
struct Base64Contents {
  std::size_t min_bytes = 1;  // of a run
  // If not 0: lines of fewer than 40 letters only if they may hold so many bytes of ASCII text in a row, or one of the
  // following. Rules out most words and paths without a look at each.
  std::size_t min_ascii = 0;
  bool utf16 = false;       // six letters of ASCII in UTF-16
  bool compressed = false;  // see MayBeCompressed
};

// The maximal pieces of `text` that may be base64 of such contents. Wrapped lines are one piece; padding belongs to the
// piece before it.
std::vector<TextSpan> FindBase64Runs(std::string_view text, const Base64Contents& contents,
                                     Vectors most = Vectors::kAvx512);

// Whether the run may be the beginning of a longer one in the decoded text, because an escape follows it that may stand
// for a line break.
bool MayGoOnAfterEscape(std::string_view text, TextSpan run);

// Whether a run goes over the end of a line.
bool IsWrapped(std::string_view run);

}  // namespace turnlog
