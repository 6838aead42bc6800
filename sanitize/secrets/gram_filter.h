// Finds where in a text one of many keywords may be, in any case of their ASCII letters, by the few bytes of each that
// are rare in text: its gram.
//
// Two steps rule out nearly all positions. With AVX2, the letters that may be at each of the four bytes are looked up
// for 32 positions at once, for sixteen groups of keywords with similar grams: one position in seven is left. With
// AVX-512 and its permutation of bytes, for 64 positions and 64 groups: one in twenty is left. Of these, two bits for
// each hash of three or four bytes rule out most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/secrets/vectors.h"

namespace turnlog {

inline constexpr std::size_t kMinKeyword = 3;

class GramFilter {
  static constexpr std::uint32_t kCaseBits = 0x20202020;  // also folds some other bytes, which a comparison sorts out
  static constexpr std::uint32_t kThreeBytes = 0xffffff;

  static std::uint32_t Hash(std::uint32_t gram) { return (gram | kCaseBits) * 0x9e3779b1U; }

 public:
  static constexpr std::size_t kGram = 4;

  // REQUIRES: letters in lower case. Ignores keywords of fewer than kMinKeyword bytes.
  explicit GramFilter(std::span<const std::string> keywords, Vectors most = Vectors::kAvx512);

  // The offset of the gram in a keyword.
  std::size_t offset(std::size_t keyword) const { return offsets_[keyword]; }
  class Gram;
  // The first bytes of a text, to compare grams with.
  class Bytes {
   public:
    // REQUIRES: kMinKeyword bytes.
    explicit Bytes(std::string_view text) {
      if (text.size() >= kGram)
        std::memcpy(&folded_, text.data(), kGram);
      else
        std::memcpy(&folded_, text.data(), kMinKeyword);
      folded_ |= kCaseBits;
    }
    // A hash of the first kMinKeyword bytes.
    std::size_t bucket() const { return Hash(folded_ & kThreeBytes) >> (32 - kBucketBits); }

   private:
    friend class Gram;
    std::uint32_t folded_ = 0;
  };
  class Gram {
   public:
    explicit Gram(std::string_view letters)
        : mask_(letters.size() < kGram ? kThreeBytes : ~0U), folded_(Bytes(letters).folded_) {}
    bool IsAt(Bytes bytes) const { return ((bytes.folded_ ^ folded_) & mask_) == 0; }

   private:
    std::uint32_t mask_, folded_;
  };
  static constexpr int kBucketBits = 10;

  // Writes the positions from `at` on where a gram may be, until the text ends or `found` is full. Returns their number
  // and moves `at` to the first position that was not looked at. REQUIRES: room for kStride of them.
  std::size_t Find(std::string_view text, std::size_t& at, std::span<std::size_t> found) const;
  static constexpr std::size_t kStride = 64;

 private:
  static constexpr std::size_t kGroups = 16, kParts = 4;  // and parts of each
  static constexpr std::size_t kHalves = kGroups / 8;
  static constexpr int kWordBits = 10;
  static constexpr std::size_t kLetters = 64;  // the bits of a letter but those for its case and beyond ASCII

  class Groups;

  static std::uint32_t FirstBit(std::uint32_t hash) { return hash >> (26 - kWordBits) & 63; }
  static std::uint32_t SecondBit(std::uint32_t hash) { return hash >> (20 - kWordBits) & 63; }
  void MarkGram(std::string_view gram);
  void MarkLetters(std::size_t group, std::size_t part, std::string_view gram);
  std::size_t IsMarked(std::uint32_t gram) const {
    const std::uint32_t hash = Hash(gram);
    const std::uint64_t word = grams_[hash >> (32 - kWordBits)];
    return word >> FirstBit(hash) & word >> SecondBit(hash) & 1;
  }
  // 1 or 0.
  std::size_t MayBeAt(const char* at) const {
    std::uint32_t gram;
    std::memcpy(&gram, at, sizeof gram);
    return IsMarked(gram) | IsMarked(gram & kThreeBytes);
  }
  std::uint64_t CandidatesWithAvx2(const char* at) const;
  std::uint64_t CandidatesWithAvx512(const char* at) const;
  std::size_t FindInStrides(std::string_view text, std::size_t& at, std::span<std::size_t> found) const;
  template <class Candidates>
  std::size_t FindAmong(Candidates candidates, std::string_view text, std::size_t& at,
                        std::span<std::size_t> found) const;

  std::vector<std::size_t> offsets_;
  // For each half of the groups, each part of these, and each byte of a gram: a bit for each group of the half that has
  // a letter there, by the letter.
  using Letters = std::array<std::uint8_t, kLetters>;
  alignas(64) std::array<std::array<std::array<Letters, kGram>, kParts>, kHalves> letters_{};
  alignas(64) std::array<std::array<Letters, kGram>, kHalves> all_letters_{};  // of all parts
  std::array<std::uint64_t, std::size_t{1} << kWordBits> grams_{};
  Vectors vectors_;
};

}  // namespace turnlog
