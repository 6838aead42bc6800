// Tells whether what looks like base64 may hold text, and at which letter a group of four begins then: rules out most
// words and paths at a fraction of the cost of decoding them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sanitize/secrets/byte_set.h"
#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

inline constexpr std::size_t kBase64Phases = 4;
using Base64PhaseSet = unsigned;  // a bit for each phase
inline constexpr Base64PhaseSet kAllBase64Phases = (1U << kBase64Phases) - 1;

// Of one text, whose letters are read 2 KiB at a time: cheapest for runs in the order of the text.
class AsciiInBase64 {
 public:
  // REQUIRES: `text` outlives it.
  explicit AsciiInBase64(std::string_view text);

  // The letters that may be the one with this index of a group of four that is ASCII.
  static std::string_view LettersAt(std::size_t index);
  // How many letters in a row are looked at for so many bytes in a row.
  static std::size_t LettersOf(std::size_t bytes);

  // Those of `phases` at which a run, decoded, may have `min_bytes` bytes of printable ASCII in a row.
  Base64PhaseSet PhasesOf(TextSpan run, std::size_t min_bytes, Base64PhaseSet phases);
  // Whether all of a run on one line is ASCII text, if a group of four begins at its first letter. Of runs that are
  // not, a few short ones pass.
  bool IsText(TextSpan run);
  // Whether a run may have six letters of ASCII in UTF-16: every other byte is zero, and so is a third of the letters.
  bool MayHoldUtf16(TextSpan run) const;

 private:
  class Block;

  Base64PhaseSet PhasesOfLine(TextSpan line, std::size_t count, Base64PhaseSet wanted);
  Base64PhaseSet PhasesOfLines(TextSpan run, std::size_t count, Base64PhaseSet wanted);

  std::string_view text_;
  std::array<ByteSearch, kBase64Phases> letters_;  // that may be ASCII at each index of a group of four
};

}  // namespace turnlog
