// Finds where in a text one of many keywords may be, in any case of their ASCII letters, by the few bytes of each that
// are rare in text: its gram.
//
// Two steps rule out nearly all positions. The letters that may be at each of the four bytes are looked up for sixteen
// groups of keywords with similar grams, for 32 positions at once with AVX2, for 64 with AVX-512 and its permutation of
// bytes: one position in six is left. Of these, a table with a word for each hash of three bytes, in which the fourth
// one has a bit, rules out most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/vectors.h"

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

  // The positions where a gram may be, of the kBlock ones from `at` on and relative to it. Returns their number.
  static constexpr std::size_t kBlock = 1024;
  // Has room for what is written at once after the last one.
  using Positions = std::array<std::uint16_t, kBlock + 64>;
  std::size_t Find(std::string_view text, std::size_t at, Positions& found) const;

 private:
  static constexpr std::size_t kGroups = 16;
  static constexpr std::size_t kHalves = kGroups / 8;
  static constexpr int kWordBits = 12;
  static constexpr std::size_t kLetters = 64;  // the bits of a letter but those for its case and beyond ASCII

  class Groups;

  void MarkGram(std::string_view gram);
  void MarkLetters(std::size_t group, std::string_view gram);
  // The word of the first three bytes, in which the fourth one has a bit.
  static std::size_t WordOf(std::uint32_t folded) { return (folded << 8) * 0x9e3779b1U >> (32 - kWordBits); }
  static std::uint32_t BitOf(std::uint32_t folded) { return folded >> 24 & 31; }
  // 1 or 0.
  std::size_t MayBeAt(const char* at) const {
    std::uint32_t gram;
    std::memcpy(&gram, at, sizeof gram);
    gram |= kCaseBits;
    return grams_[WordOf(gram)] >> BitOf(gram) & 1;
  }
  // The positions in text[at, at + count) that the letters do not rule out. REQUIRES: `count` is a multiple of kStride,
  // kGram bytes after them.
  static constexpr std::size_t kStride = 64;
  std::size_t CandidatesWithAvx2(const char* at, std::size_t count, Positions& found) const;
  std::size_t CandidatesWithAvx512(const char* at, std::size_t count, Positions& found) const;
  std::uint64_t MaskWithAvx2(const char* at) const;
  std::size_t Candidates(const char* at, std::size_t count, Positions& found) const;

  // For each half of the groups and each byte of a gram: a bit for each group of the half that has a letter there, by
  // the letter.
  using Letters = std::array<std::uint8_t, kLetters>;
  alignas(64) std::array<std::array<Letters, kGram>, kHalves> letters_{};
  std::array<std::uint32_t, std::size_t{1} << kWordBits> grams_{};
  std::vector<std::size_t> offsets_;
  Vectors vectors_;
};

}  // namespace turnlog
