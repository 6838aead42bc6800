#include "sanitize/secrets/decoded_text.h"

#include <algorithm>

namespace turnlog {

void SourceMap::PutNumber(std::size_t number) {
  for (; number >= 0x80; number >>= 7) bytes_.push_back(static_cast<std::uint8_t>(number | 0x80));
  bytes_.push_back(static_cast<std::uint8_t>(number));
}

std::size_t SourceMap::TakeNumber(std::size_t& at) const {
  std::size_t number = 0;
  for (int shift = 0;; shift += 7) {
    const std::size_t byte = bytes_[at++];
    number |= (byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

void SourceMap::PutOthers(std::size_t left_out, std::size_t text, std::size_t source) {
  for (const std::size_t number : {left_out, text, source}) PutNumber(number);
}

SourceMap::Entry SourceMap::Next(const Entry& last, std::size_t& at) const {
  const std::size_t first = TakeNumber(at), same = first / 2;
  const bool usual = first % 2 == 0;
  const std::size_t left_out = usual ? 0 : TakeNumber(at);
  const std::size_t text_size = usual ? kUsualText : TakeNumber(at);
  const std::size_t source_size = usual ? kUsualSource : TakeNumber(at);
  const std::size_t text = last.text.end + same, source = last.source.end + same + left_out;
  return {{text, text + text_size}, {source, source + source_size}};
}

SourceMap::Entry SourceMap::At(std::size_t at, const Entry& before) {
  if (at < before.text.end) return before;
  const std::size_t source = before.source.end + (at - before.text.end);
  return {{at, at + 1}, {source, source + 1}};
}

SourceMap::Entry SourceMap::At(std::size_t at) const {
  const auto after = std::ranges::upper_bound(marks_, at, {}, [](const Mark& mark) { return mark.last.text; });
  if (after == marks_.begin()) return At(at, {});
  const Ends last = (after - 1)->last;
  Entry entry{{last.text, last.text}, {last.source, last.source}};
  for (std::size_t next = (after - 1)->at; next < bytes_.size();) {
    const Entry later = Next(entry, next);
    if (later.text.begin > at) break;
    entry = later;
  }
  return At(at, entry);
}

SourceMap::Entry SourceMapReader::At(std::size_t at) {
  for (;;) {
    if (!read_) {
      if (next_ == map_.bytes_.size()) break;
      later_ = map_.Next(entry_, next_);
      read_ = true;
    }
    if (later_.text.begin > at) break;
    entry_ = later_;
    read_ = false;
  }
  return SourceMap::At(at, entry_);
}

std::vector<TextSpan> MergeSpans(std::vector<TextSpan> spans) {
  std::ranges::sort(spans, {}, &TextSpan::begin);
  std::vector<TextSpan> merged;
  for (const TextSpan& span : spans) {
    if (merged.empty() || merged.back().end < span.begin) {
      merged.push_back(span);
    } else {
      merged.back().end = std::max(merged.back().end, span.end);
    }
  }
  return merged;
}

}  // namespace turnlog
