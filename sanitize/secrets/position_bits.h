// Bits for the positions of a text, and which of them begin rows of bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace turnlog {

// A bit for each position of 2 KiB of text, and of the 64 positions after these; 0 beyond the end of the text.
class PositionBits {
 public:
  static constexpr std::size_t kWords = 32, kStep = 8;  // some code reads as many words at once

  std::uint64_t operator[](std::size_t word) const { return words_[word]; }
  const std::uint64_t* From(std::size_t word) const { return &words_[word]; }
  std::uint64_t* From(std::size_t word) { return &words_[word]; }
  // The first `count` words. Those that are read with them become 0.
  std::span<std::uint64_t> First(std::size_t count) {
    std::fill_n(&words_[count], kStep, 0);
    return std::span(words_).first(count);
  }

 private:
  std::array<std::uint64_t, kWords + 1 + kStep> words_;
};

// The bits of as many words as a step has, and of the word after each. In code that is compiled for processors with
// wider vectors, they take fewer of these.
struct WordPairs {
  using Words [[gnu::vector_size(8 * PositionBits::kStep)]] = std::uint64_t;
  Words here, next;

  [[gnu::always_inline]] WordPairs(const PositionBits& bits, std::size_t word) {
    std::memcpy(&here, bits.From(word), sizeof here);
    std::memcpy(&next, bits.From(word + 1), sizeof next);
  }
  // Keeps the bits that `other` has as well, `by` positions later. REQUIRES: by < 64.
  [[gnu::always_inline]] void Keep(const WordPairs& other, std::uint64_t by) {
    here &= other.here >> by | other.next << 1 << (63 - by);
    next &= other.next >> by;
  }
  // Keeps those that begin `count` bits in a row, `apart` positions from each other, if they begin `have` of these.
  [[gnu::always_inline]] void KeepRows(std::size_t have, std::size_t count, std::size_t apart = 1) {
    for (std::size_t more = 0; have < count; have += more) {
      more = std::min(have, count - have);
      Keep(*this, more * apart);
    }
  }
  [[gnu::always_inline]] void Write(PositionBits& bits, std::size_t word) const {
    std::memcpy(bits.From(word), &here, sizeof here);
  }
};

}  // namespace turnlog
