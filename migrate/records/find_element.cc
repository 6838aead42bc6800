#include "migrate/records/find_element.h"

#include <algorithm>

#include "migrate/records/json_array.h"
#include "migrate/records/json_object.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

std::size_t LeadBegin(std::string_view text, std::size_t from, std::size_t element) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  std::size_t lead = element;
  while (lead > from && is_space(text[lead - 1])) --lead;
  return lead > from && HasMark(text.substr(lead - 1, 1)) ? lead - 1 : lead;
}

}  // namespace

std::expected<FoundElement, NotFound> FindElement(std::string_view text, const ElementSearch& search,
                                                  const IsRecord& is_element, std::size_t& budget) {
  const std::size_t first_value = search.any_first ? text.find_first_of("{[\"", search.from) : std::string_view::npos;
  for (std::size_t at = text.find('{', search.from); at < search.to && budget > 0; at = text.find('{', at)) {
    const JsonEnd end = ScanJson(text, at);
    budget -= std::min(budget, (end ? *end : end.error().byte) - at + 1);
    // What is in it would be taken for elements, although they are its parts.
    if (!end && search.may_be_cut && !IsFinal(end.error(), text)) return std::unexpected(NotFound::kCut);
    const auto object = end ? JsonObject::Parse(text.substr(at, *end - at)) : std::nullopt;
    if (object && (at == first_value || is_element(*object))) {
      return FoundElement{LeadBegin(text, search.from, at), at, *end};
    }
    at = end ? *end : at + 1;
  }
  return std::unexpected(NotFound::kNone);
}

}  // namespace turnlog
