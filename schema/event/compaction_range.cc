#include "schema/event/compaction_range.h"

#include <charconv>
#include <string>
#include <utility>

#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

struct Number {
  std::uint64_t value = 0;
  std::string_view text;
};

std::optional<Number> FindNumber(std::string_view json, std::string_view key) {
  const auto field = FindJsonField(json.substr(SkipJsonSpace(json, 0)), key);
  if (!field) return std::nullopt;
  Number number{.text = field->value};
  const char* const end = number.text.data() + number.text.size();
  const auto [parsed, error] = std::from_chars(number.text.data(), end, number.value);
  return error == std::errc() && parsed == end ? std::optional(number) : std::nullopt;
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
    if (!number) continue;
    const auto begin = static_cast<std::size_t>(number->text.data() - changed.data());
    changed.replace(begin, number->text.size(), std::to_string(value));
  }
  return changed;
}

}  // namespace turnlog
