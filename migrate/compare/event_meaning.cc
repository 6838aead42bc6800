#include "migrate/compare/event_meaning.h"

#include <fmt/format.h>

#include <string_view>
#include <variant>

#include "base/compact_json.h"
#include "migrate/records/foreign_event.h"
#include "schema/json/json_scan.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

// A result that is JSON and no text has the white space of its record.
bool IsJsonContent(std::string_view content) {
  return (content.starts_with('{') || content.starts_with('[')) && !FindJsonFault(content);
}

// Earlier versions wrote null for numbers that are not finite (records/real_number.h), also in JSON that is a text.
std::string WithNulls(std::string meaning) {
  for (const std::string_view name : {"inf", "-inf", "nan"}) {
    for (const std::string_view quote : {"\"", "\\\""}) {
      const std::string number = fmt::format("{{{0}$number{0}:{0}{1}{0}}}", quote, name);
      for (std::size_t at = 0; (at = meaning.find(number, at)) != std::string::npos;) {
        meaning.replace(at, number.size(), "null");
      }
    }
  }
  return meaning;
}

std::string Spelled(EventView event) {
  event.source_text.reset();
  return ToJson(event);
}

}  // namespace

// Where layouts differ, a record without a time of its own may have that of what is around it in one of them.
std::string MeaningOf(EventView event, const Format& format) {
  const auto meaning_of_record = format.import.meaning_of_record;
  const auto record = meaning_of_record != nullptr ? ReadForeign(event) : std::nullopt;
  if (record) return CompactJson(meaning_of_record(*record));
  if (meaning_of_record != nullptr) event.timestamp.reset();
  std::string content;
  if (auto* result = std::get_if<ToolCallResponseView>(&event.body)) {
    if (IsJsonContent(result->content)) result->content = content = CompactJson(result->content);
  }
  return CompactJson(Spelled(event));
}

bool MeanTheSame(const EventView& stored, EventView event, const Format& format) {
  if (!stored.timestamp) event.timestamp.reset();
  if (Spelled(stored) == Spelled(event)) return true;
  const std::string before = MeaningOf(stored, format), now = MeaningOf(event, format);
  if (before == now || (now.contains("$number") && before == WithNulls(now))) return true;
  const auto is_saved_again = format.import.is_saved_again;
  return is_saved_again != nullptr && is_saved_again(stored, event);
}

}  // namespace turnlog
