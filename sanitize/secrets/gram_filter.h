// Finds where in a text one of many keywords may be, in any case of their ASCII letters, by the few bytes of each that
// are rare in text: its gram.
//
// Two steps rule out nearly all positions. With AVX2, the letters that may be at each of the four bytes are looked up
// for 32 positions at once, for sixteen groups of keywords with similar grams: one position in seven is left. Of these,
// two bits for each hash of four bytes rule out most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace turnlog {

inline constexpr std::size_t kMinKeyword = 3;

enum class Vectors : std::uint8_t { kNone, kIfPossible };

class GramFilter {
  static constexpr std::size_t kGram = 4;
  static constexpr std::uint32_t kCaseBits = 0x20202020;  // also folds some other bytes, which a comparison sorts out

 public:
  // REQUIRES: letters in lower case. Ignores keywords of fewer than kMinKeyword bytes.
  explicit GramFilter(std::span<const std::string> keywords, Vectors vectors = Vectors::kIfPossible);

  // The offset of the gram in a keyword.
  std::size_t offset(std::size_t keyword) const { return offsets_[keyword]; }
  // A gram to compare with.
  class Gram {
   public:
    explicit Gram(std::string_view letters) : mask_(letters.size() < kGram ? 0xffffffU : ~0U), folded_(Fold(letters)) {}
    // REQUIRES: kMinKeyword bytes.
    bool IsAt(std::string_view text) const { return ((Fold(text) ^ folded_) & mask_) == 0; }

   private:
    static std::uint32_t Fold(std::string_view text) {
      std::uint32_t bytes = 0;
      if (text.size() >= kGram)
        std::memcpy(&bytes, text.data(), kGram);
      else
        std::memcpy(&bytes, text.data(), kMinKeyword);
      return bytes | kCaseBits;
    }
    std::uint32_t mask_, folded_;
  };
  // A hash of the first kMinKeyword bytes of a gram.
  static std::size_t BucketOf(std::string_view gram) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, gram.data(), kMinKeyword);
    return Hash(bytes) >> (32 - kBucketBits);
  }
  static constexpr int kBucketBits = 10;

  // Writes the positions from `at` on where a gram may be, until the text ends or `found` is full. Returns their number
  // and moves `at` to the first position that was not looked at. REQUIRES: room for kStride of them.
  std::size_t Find(std::string_view text, std::size_t& at, std::span<std::size_t> found) const;
  static constexpr std::size_t kStride = 32;

 private:
  static constexpr std::size_t kHalves = 2, kGroups = 8 * kHalves;
  static constexpr int kWordBits = 12;
  static constexpr std::size_t kSixteenths = 4;  // of the folded ASCII letters

  class Groups;

  static std::uint32_t Hash(std::uint32_t gram) { return (gram | kCaseBits) * 0x9e3779b1U; }
  static std::uint32_t FirstBit(std::uint32_t hash) { return hash >> (26 - kWordBits) & 63; }
  static std::uint32_t SecondBit(std::uint32_t hash) { return hash >> (20 - kWordBits) & 63; }
  void MarkGram(std::string_view gram);
  void MarkLetters(std::size_t group, std::string_view gram);
  // 1 or 0.
  std::size_t MayBeAt(const char* at) const {
    std::uint32_t gram;
    std::memcpy(&gram, at, sizeof gram);
    const std::uint32_t hash = Hash(gram);
    const std::uint64_t word = grams_[hash >> (32 - kWordBits)];
    return word >> FirstBit(hash) & word >> SecondBit(hash) & 1;
  }
  std::uint32_t Candidates(const char* at) const;
  std::size_t FindInStrides(std::string_view text, std::size_t& at, std::span<std::size_t> found) const;
  std::size_t FindWithAvx2(std::string_view text, std::size_t& at, std::span<std::size_t> found) const;

  std::vector<std::size_t> offsets_;
  // For each half of the groups and each byte of a gram, in four tables of sixteen letters: a bit for each group that
  // has the letter there.
  using Letters = std::array<std::array<std::uint8_t, 16>, kSixteenths>;
  std::array<std::array<Letters, kGram>, kHalves> letters_{};
  std::array<std::uint64_t, std::size_t{1} << kWordBits> grams_{};
  bool avx2_ = false;
};

}  // namespace turnlog
