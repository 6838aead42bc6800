// Finds keywords in a text, in any case of their ASCII letters: some hundred short words, most of which occur seldom.
//
// A filter finds the positions where one may be; there the few keywords with the same hash of three bytes are compared,
// by two times four bytes, and then as a whole.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/secrets/decoded_text.h"
#include "sanitize/secrets/gram_filter.h"

namespace turnlog {

class KeywordFinder {
 public:
  // Ignores keywords of fewer than kMinKeyword bytes.
  explicit KeywordFinder(std::span<const std::string> keywords, Vectors most = Vectors::kAvx512);

  // Calls on_match(index, span) for every keyword found, in the order of their rare bytes. Any thread may call it.
  template <class OnMatch>
  void ForEach(std::string_view text, OnMatch&& on_match) const {
    std::array<std::size_t, 8 * GramFilter::kStride> found;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t count = filter_.Find(text, at, found);
      for (std::size_t i = 0; i < count; ++i) CompareAt(text, found[i], on_match);
    }
  }

 private:
  struct Keyword {
    std::string text;
    std::size_t gram;  // where its rare bytes begin
    std::size_t bucket, index;
    GramFilter::Gram end;  // its last bytes

    bool EndIsAt(std::string_view other, std::size_t at) const {
      const std::size_t from = at + text.size() - std::min(text.size(), GramFilter::kGram);
      return from + kMinKeyword <= other.size() && end.IsAt(GramFilter::Bytes(other.substr(from)));
    }
  };

  static bool BeginsWith(std::string_view text, std::string_view keyword);

  template <class OnMatch>
  void CompareAt(std::string_view text, std::size_t at, OnMatch& on_match) const {
    const std::string_view rest = text.substr(at);
    const GramFilter::Bytes bytes(rest);
    const std::size_t bucket = bytes.bucket();
    for (std::size_t i = buckets_[bucket]; i < buckets_[bucket + 1]; ++i) {
      if (!grams_[i].IsAt(bytes)) continue;
      const Keyword& keyword = keywords_[i];
      if (at >= keyword.gram && keyword.EndIsAt(text, at - keyword.gram) &&
          BeginsWith(text.substr(at - keyword.gram), keyword.text))
        on_match(keyword.index, TextSpan{at - keyword.gram, at - keyword.gram + keyword.text.size()});
    }
  }

  GramFilter filter_;
  std::vector<Keyword> keywords_;        // by bucket
  std::vector<GramFilter::Gram> grams_;  // theirs
  std::array<std::uint16_t, (std::size_t{1} << GramFilter::kBucketBits) + 1> buckets_{};
};

}  // namespace turnlog
