#include "sanitize/secrets/keyword_finder.h"

#include <algorithm>
#include <utility>

namespace turnlog {
namespace {

char Fold(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter; }

// How rare a letter is in English and in programs: the rank in this list.
std::size_t Rarity(char letter) {
  constexpr std::string_view kByFrequency = "etaoinsrlcdupmhfgbvy_.- wk10x2jqz3456789";
  return std::min(kByFrequency.find(letter), kByFrequency.size());
}

// The position of the four bytes of a keyword that are the rarest in text.
std::size_t FindRareGram(std::string_view keyword, std::size_t size) {
  std::size_t best = 0, best_rarity = 0;
  for (std::size_t at = 0; at + size <= keyword.size(); ++at) {
    std::size_t rarity = 0;
    for (const char letter : keyword.substr(at, size)) rarity += Rarity(letter);
    if (rarity > best_rarity) best = at, best_rarity = rarity;
  }
  return best;
}

}  // namespace

KeywordFinder::KeywordFinder(std::span<const std::string> keywords) {
  for (std::size_t i = 0; i < keywords.size(); ++i) {
    if (keywords[i].size() < kMinKeyword) continue;
    std::string text = keywords[i];
    std::ranges::transform(text, text.begin(), Fold);
    const std::size_t gram = FindRareGram(text, kGram);
    const std::string_view rare = std::string_view(text).substr(gram, kGram);
    MarkGrams(rare);
    const std::size_t bucket = BucketOf(rare);
    keywords_.push_back({std::move(text), gram, bucket, i});
  }
  std::ranges::sort(keywords_, {}, [](const Keyword& keyword) { return std::pair(keyword.bucket, keyword.index); });
  for (const Keyword& keyword : keywords_) ++buckets_[keyword.bucket + 1];
  for (std::size_t i = 1; i < buckets_.size(); ++i)
    buckets_[i] = static_cast<std::uint16_t>(buckets_[i] + buckets_[i - 1]);
}

bool KeywordFinder::BeginsWith(std::string_view text, std::string_view keyword) {
  if (text.size() < keyword.size()) return false;
  return std::ranges::equal(text.substr(0, keyword.size()), keyword, {}, Fold);
}

// Three bytes, all of a keyword, may be followed by any byte.
void KeywordFinder::MarkGrams(std::string_view gram) {
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, gram.data(), gram.size());
  const std::uint32_t last = gram.size() < kGram ? 256 : 1;
  for (std::uint32_t i = 0; i < last; ++i) {
    const std::uint32_t hash = Hash(bytes | i << 24);
    grams_[hash >> (32 - kWordBits)] |= std::uint64_t{1} << FirstBit(hash) | std::uint64_t{1} << SecondBit(hash);
  }
}

}  // namespace turnlog
