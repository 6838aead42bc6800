// Finds, without decoding, where decoding escapes of line breaks and tabs may show lines that JoinLines joins to a
// value.
#pragma once

#include <string_view>
#include <vector>

#include "sanitize/secrets/decoded_text.h"
#include "sanitize/secrets/joined_text.h"

namespace turnlog {

// Escapes of line breaks and tabs, behind any number of backslashes, around which the letters follow each other in a
// value. Where a text has only plain escapes (HasOnlyPlainEscapes) these are all that can make a join, in any layer
// decoded from it, that FindJoins finds there and that has an escape in what it leaves out. Finds more than that.
std::vector<TextSpan> FindEscapedJoins(std::string_view text, Blanks blanks, const LetterGrams& grams);

}  // namespace turnlog
