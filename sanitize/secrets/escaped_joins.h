// Finds, without decoding, where decoding escapes of line breaks and tabs may show lines that JoinLines joins to a
// value.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sanitize/secrets/byte_sets.h"
#include "sanitize/secrets/decoded_text.h"
#include "sanitize/secrets/joined_text.h"

namespace turnlog {

// For the values whose letters `grams` has.
class EscapedJoins {
 public:
  explicit EscapedJoins(const LetterGrams& grams);

  // Escapes of line breaks and tabs, behind any number of backslashes, around which the letters follow each other in a
  // value. Where a text has only plain escapes (HasOnlyPlainEscapes) these are all that can make a join, in any layer
  // decoded from it, that FindJoins finds there and that has an escape in what it leaves out. Finds more than that.
  // REQUIRES: the same grams.
  std::vector<TextSpan> Find(std::string_view text, Blanks blanks, const LetterGrams& grams) const;

 private:
  enum Set : std::uint8_t { kBackslashes, kNames, kNeverFirst, kNeverSecond };

  // Calls `on_escape` for each name of a line break or a tab with all backslashes before it; if not `all`, only where
  // the letters next to it may follow each other, as far as one letter tells.
  template <class OnEscape>
  void ForEachBlankEscape(std::string_view text, bool all, OnEscape&& on_escape) const;

  ByteSets<4> sets_;
};

}  // namespace turnlog
