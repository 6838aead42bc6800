// Undoes what splits a value where it is shown: terminals and mails wrap lines, editors and quotes put something in
// front of each line, terminals color parts of it, and copies contain invisible characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

// Which letters follow each other in the values that are searched for.
class LetterPairs {
 public:
  void Add(std::string_view value);
  bool Has(char first, char second) const { return !bits_.empty() && (bits_[Word(first, second)] & Bit(second)) != 0; }
  // The longest value.
  std::size_t longest() const { return longest_; }

 private:
  static std::size_t Word(char first, char second) {
    return static_cast<unsigned char>(first) * std::size_t{4} + static_cast<unsigned char>(second) / 64;
  }
  static std::uint64_t Bit(char second) { return std::uint64_t{1} << static_cast<unsigned char>(second) % 64; }

  WipedVector<std::uint64_t> bits_;
  std::size_t longest_ = 0;
};

enum class Blanks : std::uint8_t { kKept, kLeftOut };

// The text without line breaks, the blanks around them and what quotes or numbers the next line ("> ", or a number and
// an arrow), without terminal sequences and without invisible characters. Nothing if it has none of these. kLeftOut:
// without any blanks, because a line break may stand for one.
std::optional<DecodedText> JoinLines(std::string_view text, Blanks blanks = Blanks::kKept);

// The parts of the text in which JoinLines may join a value: around each join that makes one of the pairs. Most texts
// have few, and need not be joined as a whole.
std::vector<TextSpan> FindJoins(std::string_view text, Blanks blanks, const LetterPairs& pairs);

}  // namespace turnlog
