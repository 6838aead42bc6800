// Finds the letters of several sets in a text together: each letter is looked up once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/vectors.h"
#include "sanitize/secrets/byte_set.h"

namespace turnlog {

// For the counts that byte_sets.cc instantiates.
template <std::size_t kSets>
class ByteSets {
 public:
  static_assert(kSets <= 8);
  using Masks = std::array<std::span<std::uint64_t>, kSets>;

  // REQUIRES: sets of ASCII letters; see ByteSet.
  explicit ByteSets(const std::array<std::string_view, kSets>& sets, Vectors most = Vectors::kAvx512);

  // As ByteSet::Find does, for each set. REQUIRES: all masks of one size.
  void Find(std::string_view text, std::size_t at, const Masks& masks) const;

 private:
  static constexpr std::size_t kWord = 64;
  void FindInWords(std::string_view text, std::size_t at, const Masks& masks) const;

  alignas(64) std::array<std::uint8_t, 128> sets_of_{};  // a bit for each set that has the letter
  std::array<ByteSet, kSets> sets_;
  Vectors vectors_;
};

// How many words of 64 positions a text has from `at` on; `most` if it has more. REQUIRES: at <= text.size().
constexpr std::size_t WordsFrom(std::string_view text, std::size_t at, std::size_t most) {
  return std::min(most, (text.size() - at + 63) / 64);
}

}  // namespace turnlog
