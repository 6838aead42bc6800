#include "schema/event/compaction_range.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

namespace turnlog {
namespace {

struct Number {
  std::uint64_t value = 0;
  std::size_t begin = 0, length = 0;  // of its text
};

std::optional<Number> FindNumber(std::string_view json, std::string_view key) {
  const simdjson::padded_string text(json);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  simdjson::ondemand::value value;
  if (parser.iterate(text).get(document) || document.get_object().get(object) || object[key].get(value)) {
    return std::nullopt;
  }
  std::string_view token = value.raw_json_token();
  Number number;
  if (value.get_uint64().get(number.value)) return std::nullopt;
  number.begin = static_cast<std::size_t>(token.data() - text.data());
  number.length = std::min(token.find_first_not_of("0123456789"), token.size());
  return number;
}

}  // namespace

std::optional<CompactionRange> ReadCompactionRange(std::string_view json) {
  const auto from = FindNumber(json, "from_turn");
  const auto to = FindNumber(json, "to_turn");
  if (!from || !to) return std::nullopt;
  return CompactionRange{from->value, to->value};
}

std::string WithCompactionRange(std::string_view json, CompactionRange range) {
  std::string changed(json);
  for (const auto& [key, value] : {std::pair{"from_turn", range.from}, std::pair{"to_turn", range.to}}) {
    const auto number = FindNumber(changed, key);
    if (number) changed.replace(number->begin, number->length, fmt::format("{}", value));
  }
  return changed;
}

}  // namespace turnlog
