// Finds the bytes of a set in a text, 64 positions at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/vectors.h"

namespace turnlog {

class ByteSet {
 public:
  // REQUIRES: bytes with at most eight different sets of low halves among their high halves.
  explicit ByteSet(std::string_view bytes, Vectors most = Vectors::kAvx512);

  bool Has(char byte) const { return (low_[Low(byte)] & high_[High(byte)]) != 0; }
  // For each 64 bytes from text[at] on a mask with a bit for each that is in the set; 0 beyond the end of the text.
  void Find(std::string_view text, std::size_t at, std::span<std::uint64_t> masks) const;

 private:
  static std::size_t Low(char byte) { return static_cast<unsigned char>(byte) & 15U; }
  static std::size_t High(char byte) { return static_cast<unsigned char>(byte) >> 4; }
  std::uint64_t MaskOf(const char* at) const;
  std::uint64_t MaskWithAvx2(const char* at) const;
  void FindWithAvx2(const char* at, std::span<std::uint64_t> masks) const;
  void FindWithAvx512(const char* at, std::span<std::uint64_t> masks) const;
  void FindWhole(const char* at, std::span<std::uint64_t> masks) const;
  void FindInWord(std::string_view text, std::span<std::uint64_t> mask) const;

  static constexpr std::size_t kWord = 64;  // bytes, one bit each

  // A bit for each of eight sets of low halves: those that the low half is in, and the one that belongs to the high
  // half.
  alignas(16) std::array<std::uint8_t, 16> low_{};
  alignas(16) std::array<std::uint8_t, 16> high_{};
  Vectors vectors_;
};

// A bit for each position where `count` bits of the mask begin. REQUIRES: at most as many as it has.
template <class Mask>
Mask WhereBegin(Mask mask, std::size_t count) {
  std::size_t have = 1;
  for (; 2 * have <= count; have *= 2) mask &= mask >> have;
  return have < count ? mask & mask >> (count - have) : mask;
}

// Goes through the positions of one text.
class ByteSearch {
 public:
  // REQUIRES: both outlive it.
  ByteSearch(const ByteSet& set, std::string_view text) : set_(&set), text_(text) {}

  // The first position from `at` on whose byte is in the set; the size of the text if there is none.
  std::size_t Next(std::size_t at) {
    for (; at < text_.size(); at = (at | 63) + 1) {
      const std::uint64_t mask = WordOf(at) >> (at & 63);
      if (mask != 0) return at + static_cast<std::size_t>(std::countr_zero(mask));
    }
    return text_.size();
  }
  // The same for a byte that is not in the set.
  std::size_t NextOther(std::size_t at) {
    for (; at < text_.size(); at = (at | 63) + 1) {
      const std::uint64_t mask = ~WordOf(at) >> (at & 63);
      if (mask != 0) return std::min(text_.size(), at + static_cast<std::size_t>(std::countr_zero(mask)));
    }
    return text_.size();
  }
  // A bit for each of the 64 positions from `at` on.
  std::uint64_t MaskAt(std::size_t at) {
    const std::uint64_t first = WordOf(at) >> (at & 63);
    return (at & 63) == 0 ? first : first | WordOf(at + 64) << (64 - (at & 63));
  }

 private:
  static constexpr std::size_t kWords = 32, kFewWords = 4;

  std::uint64_t WordOf(std::size_t at) {
    if (at - begin_ >= end_ - begin_) Fill(at & ~std::size_t{63});
    return masks_[(at - begin_) / 64];
  }
  void Fill(std::size_t at) {
    const std::size_t left = at < text_.size() ? (text_.size() - at + 63) / 64 : 0;
    const std::size_t words = std::clamp<std::size_t>(left, 1, at == end_ ? kWords : kFewWords);  // more if in a row
    set_->Find(text_, at, std::span(masks_).first(words));
    begin_ = at;
    end_ = at + 64 * words;
  }

  const ByteSet* set_;
  std::string_view text_;
  std::size_t begin_ = 0, end_ = 0;  // what the masks are of
  std::array<std::uint64_t, kWords> masks_;
};

}  // namespace turnlog
