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

  // Calls on_match(index, span) for every keyword found, in the order of their rare bytes, which are at `from` or
  // later. Any thread may call it.
  template <class OnMatch>
  void ForEach(std::string_view text, OnMatch&& on_match, std::size_t from = 0) const {
    GramFilter::Positions found;
    for (std::size_t at = from; at < text.size(); at += GramFilter::kBlock) {
      const std::size_t count = filter_.Find(text, at, found);
      for (std::size_t i = 0; i < count; ++i) CompareAt(text, at + found[i], on_match);
    }
  }

 private:
  struct Keyword {
    std::string text;
    std::size_t bucket, index;
  };
  // What most comparisons end with, apart from the texts because it fits into the fastest cache.
  struct Ends {
    GramFilter::Gram gram, end;      // the rare bytes and the last ones
    std::uint16_t to_begin, to_end;  // from the rare bytes: the beginning before them, the last ones after them

    bool AreAt(std::string_view text, std::size_t at, GramFilter::Bytes bytes) const {
      if (!gram.IsAt(bytes)) return false;
      return at >= to_begin && at + to_end + kMinKeyword <= text.size() &&
             end.IsAt(GramFilter::Bytes(text.substr(at + to_end)));
    }
  };

  static bool BeginsWith(std::string_view text, std::string_view keyword);

  template <class OnMatch>
  void CompareAt(std::string_view text, std::size_t at, OnMatch& on_match) const {
    const GramFilter::Bytes bytes(text.substr(at));
    const std::size_t bucket = bytes.bucket();
    for (std::size_t i = buckets_[bucket]; i < buckets_[bucket + 1]; ++i) {
      if (!ends_[i].AreAt(text, at, bytes)) continue;
      const std::string_view keyword = keywords_[i].text;
      const std::size_t begin = at - ends_[i].to_begin;
      if (BeginsWith(text.substr(begin), keyword))
        on_match(keywords_[i].index, TextSpan{begin, begin + keyword.size()});
    }
  }

  GramFilter filter_;
  std::vector<Keyword> keywords_;  // by bucket
  std::vector<Ends> ends_;         // theirs
  std::array<std::uint16_t, (std::size_t{1} << GramFilter::kBucketBits) + 1> buckets_{};
};

}  // namespace turnlog
