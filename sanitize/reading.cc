#include "sanitize/reading.h"

#include <algorithm>
#include <utility>

namespace turnlog {

TextSpan Reading::SourceOfByte(std::size_t at) const {
  const auto after = std::ranges::upper_bound(units_, at, {}, [](const Unit& unit) { return unit.text.begin; });
  if (after == units_.begin()) return {at, at + 1};
  const Unit& unit = *(after - 1);
  if (at < unit.text.end) return unit.source;
  const std::size_t source = unit.source.end + (at - unit.text.end);
  return {source, source + 1};
}

TextSpan Reading::Source(TextSpan span) const {
  return {SourceOfByte(span.begin).begin, SourceOfByte(span.end - 1).end};
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
