#include "sanitize/secrets/decoded_text.h"

#include <algorithm>
#include <utility>

namespace turnlog {

TextSpan DecodedText::SourceOfByte(std::size_t at) const {
  const auto after = std::ranges::upper_bound(spans_, at, {}, [](const SourceSpan& unit) { return unit.text.begin; });
  if (after == spans_.begin()) return {at, at + 1};
  const SourceSpan& unit = *(after - 1);
  if (at < unit.text.end) return unit.source;
  const std::size_t source = unit.source.end + (at - unit.text.end);
  return {source, source + 1};
}

TextSpan DecodedText::Source(TextSpan span) const {
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
