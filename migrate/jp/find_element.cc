#include "migrate/jp/find_element.h"

#include <algorithm>

#include "migrate/jp/array.h"
#include "migrate/records/json_object.h"
#include "schema/json/json_scan.h"
#include "turnlog/event.h"

namespace turnlog {
namespace {

bool IsElement(std::string_view text) {
  const auto object = JsonObject::Parse(text);
  if (!object) return false;
  const bool dated = IsJsonString((*object)["timestamp"]);
  if (const auto type = object->String("type")) return dated || KindFromName(*type) != EventKind::kUnknown;
  return dated && !(*object)["message"].empty() && !(*object)["reply"].empty();
}

std::size_t LeadBegin(std::string_view text, std::size_t from, std::size_t element) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  std::size_t lead = element;
  while (lead > from && is_space(text[lead - 1])) --lead;
  return lead > from && HasMark(text.substr(lead - 1, 1)) ? lead - 1 : lead;
}

}  // namespace

std::optional<FoundElement> FindElement(std::string_view text, std::size_t from, std::size_t to) {
  constexpr std::size_t kReads = 4;
  std::size_t budget = kReads * text.size();  // bytes that may still be read
  const std::size_t first_value = text.find_first_of("{[\"", from);
  for (std::size_t at = text.find('{', from); at < to && budget > 0; at = text.find('{', at)) {
    const JsonEnd end = ScanJson(text, at);
    budget -= std::min(budget, (end ? *end : end.error().byte) - at + 1);
    if (end && (at == first_value || IsElement(text.substr(at, *end - at)))) {
      return FoundElement{LeadBegin(text, from, at), at, *end};
    }
    at = end ? *end : at + 1;
  }
  return std::nullopt;
}

}  // namespace turnlog
