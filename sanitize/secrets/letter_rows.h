// Finds where so many letters of a set follow each other in a text, 64 positions at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/vectors.h"
#include "sanitize/secrets/byte_set.h"
#include "sanitize/secrets/position_bits.h"

namespace turnlog {

class LetterRows {
 public:
  static constexpr std::size_t kMost = 64;

  // `count`: 1 to kMost. REQUIRES: set and text outlive it.
  LetterRows(const ByteSet& letters, std::size_t count, std::string_view text, Vectors most = Vectors::kAvx512);

  // The first position from `at` on where a row begins; the size of the text if there is none.
  std::size_t Next(std::size_t at) {
    for (; at < text_.size(); at = (at | 63) + 1) {
      if (at - begin_ >= end_ - begin_) Fill(at & ~std::size_t{63});
      const std::uint64_t mask = bits_[(at - begin_) / 64] >> (at & 63);
      if (mask != 0) return at + static_cast<std::size_t>(std::countr_zero(mask));
    }
    return text_.size();
  }

 private:
  void Fill(std::size_t at);

  const ByteSet* letters_;
  std::size_t count_;
  std::string_view text_;
  Vectors vectors_;
  std::size_t begin_ = 0, end_ = 0;  // what the bits are of
  PositionBits bits_;
};

}  // namespace turnlog
