// Undoes what splits a value where it is shown: terminals and mails wrap lines, editors and quotes put something in
// front of each line, terminals color parts of it, and copies contain invisible characters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

// Which letters follow each other in the values that are searched for.
class LetterGrams {
 public:
  void Add(std::string_view value);
  // Whether a value may go on from `first` to `second`.
  bool HasPair(char first, char second) const { return !pairs_.empty() && Has(pairs_, Pair(first, second)); }
  // Whether a value has the letter and goes on, or has it after another one.
  bool HasFirst(char letter) const { return firsts_[Code(letter)]; }
  bool HasSecond(char letter) const { return seconds_[Code(letter)]; }
  // The same with the letter before `first` and the one after `second`: rules out nearly all.
  bool HasAround(char before, char first, char second, char after) const {
    const std::uint32_t pair = Pair(first, second);
    return Has(grams_, Slot(Code(before), pair, Code(after))) || Has(grams_, Slot(kEnd, pair, Code(after))) ||
           Has(grams_, Slot(Code(before), pair, kEnd));
  }
  // The longest value.
  std::size_t longest() const { return longest_; }

 private:
  using Bits = WipedVector<std::uint64_t>;
  static constexpr std::uint32_t kEnd = 256;  // where a value begins or ends
  static constexpr int kSlotBits = 20;

  static std::uint32_t Code(char letter) { return static_cast<unsigned char>(letter); }
  static std::uint32_t Pair(char first, char second) { return Code(first) << 8 | Code(second); }
  static std::uint32_t Slot(std::uint32_t before, std::uint32_t pair, std::uint32_t after) {
    return (pair * 0x85ebca6bU ^ (before << 9 | after) * 0x9e3779b1U) >> (32 - kSlotBits);
  }
  static bool Has(const Bits& bits, std::uint32_t at) { return (bits[at / 64] >> (at % 64) & 1) != 0; }
  static void Set(Bits& bits, std::uint32_t at) { bits[at / 64] |= std::uint64_t{1} << (at % 64); }

  Bits pairs_, grams_;
  std::array<bool, 256> firsts_{}, seconds_{};
  std::size_t longest_ = 0;
};

enum class Blanks : std::uint8_t { kKept, kLeftOut };

// The text without line breaks, the blanks around them and what quotes or numbers the next line ("> ", or a number and
// an arrow), without terminal sequences and without invisible characters. Nothing if it has none of these. kLeftOut:
// without any blanks, because a line break may stand for one.
std::optional<DecodedText> JoinLines(std::string_view text, Blanks blanks = Blanks::kKept);

// The text without what terminals color and link parts of it with. Nothing if it has none of that.
std::optional<DecodedText> WithoutTerminalSequences(std::string_view text);

// The parts of the text in which JoinLines may join a value: around each join that makes one of the grams. Most texts
// have few, and need not be joined as a whole.
std::vector<TextSpan> FindJoins(std::string_view text, Blanks blanks, const LetterGrams& grams);

}  // namespace turnlog
