// Finds keywords in a text, in any case of their ASCII letters: some hundred short words, most of which occur seldom.
//
// Each keyword is found by four of its bytes that are rare in text. Two bits for each hash of four bytes skip positions
// where none of these are, at two bytes per nanosecond; at the others, the few keywords with the same hash of three
// bytes are compared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

inline constexpr std::size_t kMinKeyword = 3;

class KeywordFinder {
 public:
  // Ignores keywords of fewer than kMinKeyword bytes.
  explicit KeywordFinder(std::span<const std::string> keywords);

  // Calls on_match(index, span) for every keyword found, in the order of the rare bytes. Any thread may call it.
  template <class OnMatch>
  void ForEach(std::string_view text, OnMatch&& on_match) const {
    for (std::size_t at = Skip(text, 0); at < text.size(); at = Skip(text, at + 1)) {
      const std::size_t bucket = BucketOf(text.substr(at));
      for (std::size_t i = buckets_[bucket]; i < buckets_[bucket + 1]; ++i) {
        const Keyword& keyword = keywords_[i];
        if (at >= keyword.gram && BeginsWith(text.substr(at - keyword.gram), keyword.text))
          on_match(keyword.index, TextSpan{at - keyword.gram, at - keyword.gram + keyword.text.size()});
      }
    }
  }

 private:
  static constexpr std::size_t kGram = 4;
  static constexpr int kWordBits = 12, kBucketBits = 10;
  static constexpr std::uint32_t kCaseBits = 0x20202020;  // also folds some other bytes, which the comparison sorts out

  struct Keyword {
    std::string text;
    std::size_t gram;  // where its rare bytes begin
    std::size_t bucket, index;
  };

  static std::uint32_t Hash(std::uint32_t gram) { return (gram | kCaseBits) * 0x9e3779b1U; }
  // REQUIRES: kMinKeyword bytes.
  static std::size_t BucketOf(std::string_view text) {
    std::uint32_t gram = 0;
    std::memcpy(&gram, text.data(), kMinKeyword);
    return Hash(gram) >> (32 - kBucketBits);
  }
  static bool BeginsWith(std::string_view text, std::string_view keyword);

  // Two bits of a word for each gram: other grams seldom have both.
  static std::uint32_t FirstBit(std::uint32_t hash) { return hash >> (26 - kWordBits) & 63; }
  static std::uint32_t SecondBit(std::uint32_t hash) { return hash >> (20 - kWordBits) & 63; }
  void MarkGrams(std::string_view gram);
  // 1 or 0.
  std::uint64_t MayBeAt(const char* at) const {
    std::uint32_t gram;
    std::memcpy(&gram, at, sizeof gram);
    const std::uint32_t hash = Hash(gram);
    const std::uint64_t word = grams_[hash >> (32 - kWordBits)];
    return word >> FirstBit(hash) & word >> SecondBit(hash) & 1;
  }
  // The first position from `at` on where a keyword may have its rare bytes; text.size() if there is none.
  std::size_t Skip(std::string_view text, std::size_t at) const {
    const char* const data = text.data();
    for (; at + kGram + 3 <= text.size(); at += 4) {  // four at a time have one branch and no dependency
      const std::uint64_t may =
          MayBeAt(data + at) | MayBeAt(data + at + 1) | MayBeAt(data + at + 2) | MayBeAt(data + at + 3);
      if (may != 0) break;
    }
    while (at + kGram <= text.size() && MayBeAt(data + at) == 0) ++at;
    return at + kMinKeyword <= text.size() ? at : text.size();
  }

  std::vector<Keyword> keywords_;  // by bucket
  std::array<std::uint16_t, (1U << kBucketBits) + 1> buckets_{};
  std::array<std::uint64_t, 1U << kWordBits> grams_{};
};

}  // namespace turnlog
