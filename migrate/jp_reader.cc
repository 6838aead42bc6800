#include "migrate/jp_reader.h"

#include <algorithm>

#include "schema/json_scan.h"

namespace turnlog {
namespace {

constexpr auto kNoEnd = std::string_view::npos;

// These find the end of what begins at `at` by counting quotes and brackets, so that an element that is not valid ends
// where its writer meant it to end. kNoEnd if it does not.
std::size_t EndOfString(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    at = FindJsonSpecial(text, at);
    if (at < text.size() && text[at] == '"') return at + 1;
    if (at < text.size() && text[at] == '\\') ++at;
  }
  return kNoEnd;
}

std::size_t EndOfContainer(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    at = c == '"' ? EndOfString(text, at) : at + 1;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
  return kNoEnd;
}

// `at` itself if there is no value.
std::size_t EndOfValue(std::string_view text, std::size_t at) {
  if (at >= text.size()) return at;
  if (text[at] == '"') return EndOfString(text, at);
  if (text[at] == '{' || text[at] == '[') return EndOfContainer(text, at);
  return std::min(text.find_first_of(",:]} \t\r\n\"", at), text.size());
}

std::unexpected<BadText> BadAt(std::size_t byte, std::string_view reason) {
  return std::unexpected(BadText{byte, reason});
}

}  // namespace

std::expected<RawElements, BadText> SplitJpEvents(std::string_view text) {
  RawElements split;
  std::size_t done = 0;
  std::size_t at = SkipJsonSpace(text, 0);
  if (!text.substr(at).starts_with('[')) return BadAt(at, "an array of events is expected");
  at = SkipJsonSpace(text, at + 1);
  while (!(text.substr(at).starts_with(']') && split.elements.empty())) {
    const std::size_t end = EndOfValue(text, at);
    if (end == kNoEnd) return BadAt(at, "the text ends within the element that begins here");
    if (end == at) return BadAt(at, at == text.size() ? "the text ends within the array" : "an element is expected");
    split.elements.push_back({text.substr(done, at - done), text.substr(at, end - at)});
    done = end;
    at = SkipJsonSpace(text, end);
    if (!text.substr(at).starts_with(',')) break;
    at = SkipJsonSpace(text, at + 1);
  }
  if (at == text.size()) return BadAt(at, "the text ends within the array");
  if (text[at] != ']') return BadAt(at, "a comma or the end of the array is expected");
  if (const std::size_t rest = SkipJsonSpace(text, at + 1); rest != text.size()) {
    return BadAt(rest, "nothing may follow the array");
  }
  split.trailer = text.substr(done);
  return split;
}

std::string_view CanonicalLead(bool first) { return first ? "[\n  " : ",\n  "; }

std::string_view CanonicalTrailer(bool empty) { return empty ? "[]\n" : "\n]\n"; }

std::size_t LeadLength(std::string_view lead_and_element) {
  return SkipJsonSpace(lead_and_element, SkipJsonSpace(lead_and_element, 0) + 1);
}

}  // namespace turnlog
