#include "migrate/records/json_array.h"

#include <algorithm>
#include <optional>

#include "migrate/records/lone_surrogates.h"
#include "schema/json/json_string.h"

namespace turnlog {
namespace {

constexpr auto kNoEnd = std::string_view::npos;

std::unexpected<BadText> BadAt(std::size_t byte, std::string_view reason) {
  return std::unexpected(BadText{byte, reason});
}

std::unexpected<BadText> TornAt(std::size_t byte, std::string_view reason) {
  return std::unexpected(BadText{byte, reason, true});
}

// What is wrong with the rest of an object, from the end of a field on; none if it ends the object and the text.
std::optional<JsonFault> FindFaultInFields(std::string_view text, std::size_t at) {
  for (at = SkipJsonSpace(text, at); at < text.size() && text[at] == ','; at = SkipJsonSpace(text, at)) {
    std::size_t key_end = 0;
    const JsonEnd value = ScanJsonKey(text, SkipJsonSpace(text, at + 1), key_end);
    const JsonEnd end = value ? ScanJson(text, *value, 1) : value;
    if (!end) return end.error();
    at = *end;
  }
  if (at == text.size()) return JsonFault{at, kJsonEndsEarly};
  if (text[at] != '}') return JsonFault{at, "a comma or the end of the object is expected"};
  at = SkipJsonSpace(text, at + 1);
  return at == text.size() ? std::nullopt : std::optional(JsonFault{at, "nothing may follow the object"});
}

std::optional<JsonFault> FindFaultAfterArray(std::string_view text, std::size_t at, bool in_object) {
  if (in_object) {
    const auto fault = FindFaultInFields(text, at);
    const auto without = fault ? WithoutLoneSurrogates(text, *fault) : std::nullopt;
    return without ? FindFaultInFields(*without, at) : fault;
  }
  at = SkipJsonSpace(text, at);
  return at == text.size() ? std::nullopt : std::optional(JsonFault{at, "nothing may follow the array"});
}

std::expected<ArrayPiece, BadText> CutTrailer(std::string_view window, std::size_t bracket, bool whole,
                                              bool in_object) {
  if (const auto fault = FindFaultAfterArray(window, bracket + 1, in_object)) {
    const bool is_final = IsFinal(*fault, window);
    if (whole && !is_final) return TornAt(fault->byte, fault->what);
    if (is_final) return BadAt(fault->byte, fault->what);
  }
  if (!whole) return ArrayPiece{};
  return ArrayPiece{.kind = ArrayPiece::Kind::kTrailer, .element = {}, .trailer = window};
}

std::expected<ArrayPiece, BadText> CutElement(std::string_view window, std::size_t begin, bool whole) {
  const std::size_t end = FindJsonEnd(window, begin);
  const bool scalar = begin < window.size() && !std::string_view("\"{[").contains(window[begin]);
  if (!whole && (end == kNoEnd || (scalar && end == window.size()))) return ArrayPiece{};
  if (end == kNoEnd) {
    const JsonEnd sound = ScanJson(window, begin);
    const bool torn = !sound && !IsFinal(sound.error(), window);
    return std::unexpected(BadText{begin, "the text ends within the element that begins here", torn});
  }
  if (end == begin) return BadAt(begin, "an element is expected");
  return ArrayPiece{.kind = ArrayPiece::Kind::kElement,
                    .element = {window.substr(0, begin), window.substr(begin, end - begin)},
                    .trailer = {}};
}

}  // namespace

std::expected<ArrayPiece, BadText> CutArray(std::string_view window, bool first, bool whole, bool in_object) {
  constexpr std::string_view kEndsInArray = "the text ends within the array";
  const std::size_t mark = SkipJsonSpace(window, 0);
  const bool cut = mark == window.size();
  if (cut && !whole) return ArrayPiece{};
  if (first && (cut || window[mark] != '[')) return BadAt(mark, "an array of events is expected");
  if (cut) return TornAt(mark, kEndsInArray);
  if (!first && window[mark] == ']') return CutTrailer(window, mark, whole, in_object);
  if (!first && window[mark] != ',') return BadAt(mark, "a comma or the end of the array is expected");
  const std::size_t begin = SkipJsonSpace(window, mark + 1);
  if (begin == window.size()) {
    if (whole) return TornAt(begin, kEndsInArray);
    return ArrayPiece{};
  }
  if (first && window[begin] == ']') return CutTrailer(window, begin, whole, in_object);
  return CutElement(window, begin, whole);
}

bool IsFinal(const JsonFault& fault, std::string_view text) {
  constexpr std::size_t kLongestToken = 12;  // of those that can be cut: two escapes of a surrogate pair
  if (fault.byte + kLongestToken >= text.size()) return false;
  if (text[fault.byte] == '"') return FindJsonStringEnd(text, fault.byte) != kNoEnd;
  return text.find_first_of(",:]}\" \t\r\n", fault.byte) != kNoEnd;
}

std::size_t LeadLength(std::string_view lead_and_element) {
  std::size_t at = lead_and_element.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  at = SkipJsonSpace(lead_and_element, at);
  if (at < lead_and_element.size() && HasMark(lead_and_element.substr(at, 1))) {
    at = SkipJsonSpace(lead_and_element, at + 1);
  }
  return at;
}

bool HasMark(std::string_view lead) { return lead.find_first_of("[,") != std::string_view::npos; }

}  // namespace turnlog
