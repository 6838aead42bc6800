#include "sanitize/secrets/keyword_finder.h"

#include <algorithm>
#include <utility>

namespace turnlog {
namespace {

char Fold(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter; }

std::vector<std::string> FoldAll(std::span<const std::string> keywords) {
  std::vector<std::string> folded(keywords.begin(), keywords.end());
  for (std::string& keyword : folded) std::ranges::transform(keyword, keyword.begin(), Fold);
  return folded;
}

}  // namespace

KeywordFinder::KeywordFinder(std::span<const std::string> keywords, Vectors most) : filter_(FoldAll(keywords), most) {
  const std::vector<std::string> folded = FoldAll(keywords);
  for (std::size_t i = 0; i < folded.size(); ++i) {
    if (folded[i].size() < kMinKeyword) continue;
    const std::string_view gram = std::string_view(folded[i]).substr(filter_.offset(i));
    keywords_.push_back({folded[i], GramFilter::Bytes(gram).bucket(), i});
  }
  std::ranges::sort(keywords_, {}, [](const Keyword& keyword) { return std::pair(keyword.bucket, keyword.index); });
  for (const Keyword& keyword : keywords_) {
    const std::string_view text = keyword.text;
    const std::size_t gram = filter_.offset(keyword.index),
                      end = text.size() - std::min(text.size(), GramFilter::kGram);
    ends_.push_back({GramFilter::Gram(text.substr(gram)), GramFilter::Gram(text.substr(end)),
                     static_cast<std::uint16_t>(gram), static_cast<std::uint16_t>(end - gram)});
    ++buckets_[keyword.bucket + 1];
  }
  for (std::size_t i = 1; i < buckets_.size(); ++i)
    buckets_[i] = static_cast<std::uint16_t>(buckets_[i] + buckets_[i - 1]);
}

bool KeywordFinder::BeginsWith(std::string_view text, std::string_view keyword) {
  if (text.size() < keyword.size()) return false;
  return std::ranges::equal(text.substr(0, keyword.size()), keyword, {}, Fold);
}

}  // namespace turnlog
