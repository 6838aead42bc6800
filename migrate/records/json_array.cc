#include "migrate/records/json_array.h"

#include <algorithm>

#include "schema/json/json_scan.h"
#include "schema/json/json_string.h"

namespace turnlog {
namespace {

constexpr auto kNoEnd = std::string_view::npos;

std::unexpected<BadText> BadAt(std::size_t byte, std::string_view reason) {
  return std::unexpected(BadText{byte, reason});
}

std::expected<ArrayPiece, BadText> CutTrailer(std::string_view window, std::size_t bracket, bool whole) {
  if (!whole) return ArrayPiece{};
  if (const std::size_t rest = SkipJsonSpace(window, bracket + 1); rest != window.size()) {
    return BadAt(rest, "nothing may follow the array");
  }
  return ArrayPiece{.kind = ArrayPiece::Kind::kTrailer, .element = {}, .trailer = window};
}

std::expected<ArrayPiece, BadText> CutElement(std::string_view window, std::size_t begin, bool whole) {
  const std::size_t end = FindJsonEnd(window, begin);
  const bool scalar = begin < window.size() && !std::string_view("\"{[").contains(window[begin]);
  if (!whole && (end == kNoEnd || (scalar && end == window.size()))) return ArrayPiece{};
  if (end == kNoEnd) return BadAt(begin, "the text ends within the element that begins here");
  if (end == begin) return BadAt(begin, "an element is expected");
  return ArrayPiece{.kind = ArrayPiece::Kind::kElement,
                    .element = {window.substr(0, begin), window.substr(begin, end - begin)},
                    .trailer = {}};
}

}  // namespace

std::expected<ArrayPiece, BadText> CutArray(std::string_view window, bool first, bool whole) {
  const std::size_t mark = SkipJsonSpace(window, 0);
  const bool cut = mark == window.size();
  if (cut && !whole) return ArrayPiece{};
  if (first && (cut || window[mark] != '[')) return BadAt(mark, "an array of events is expected");
  if (cut) return BadAt(mark, "the text ends within the array");
  if (!first && window[mark] == ']') return CutTrailer(window, mark, whole);
  if (!first && window[mark] != ',') return BadAt(mark, "a comma or the end of the array is expected");
  const std::size_t begin = SkipJsonSpace(window, mark + 1);
  if (begin == window.size()) {
    if (whole) return BadAt(begin, "the text ends within the array");
    return ArrayPiece{};
  }
  if (first && window[begin] == ']') return CutTrailer(window, begin, whole);
  return CutElement(window, begin, whole);
}

}  // namespace turnlog
