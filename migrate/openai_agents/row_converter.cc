#include "migrate/openai_agents/row_converter.h"

#include <string>

#include "migrate/openai_agents/approvals.h"
#include "migrate/records/foreign_event.h"
#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

// "2026-01-31 10:00:00", in UTC.
std::optional<Timestamp> ReadSqlTime(const std::optional<std::string>& text) {
  if (!text || text->size() < 19 || (*text)[10] != ' ') return std::nullopt;
  const auto time = Timestamp::ParseRfc3339(text->substr(0, 10) + "T" + text->substr(11) + "Z");
  return time ? std::optional(*time) : std::nullopt;
}

// Without its end. The row in message_structure is the last field.
std::string_view WithoutStructure(std::string_view record) {
  JsonFields fields(record, JsonTrust::kValid);
  std::string_view message;
  while (fields.Next().value_or(false)) {
    if (fields.KeyIs("structure") && fields.value().starts_with(R"({"table":"message_structure")")) break;
    message = record.substr(0, static_cast<std::size_t>(fields.value().data() - record.data()) + fields.value().size());
  }
  return message;
}

}  // namespace

bool DifferOnlyInStructure(const EventView& one, const EventView& other) {
  const auto record = ReadForeign(one), other_record = ReadForeign(other);
  if (!record || !other_record || one.event_id != other.event_id) return false;
  const std::string_view message = WithoutStructure(*record);
  return message.starts_with(R"({"table":)") && message == WithoutStructure(*other_record);
}

std::string MeaningOfRow(std::string_view record) {
  return std::string(record.starts_with(R"({"table":)") ? WithoutStructure(record) : record);
}

RecordHead AgentsRowConverter::Head(const JsonObject& record) const {
  return {.id = id_prefix_ + std::string(record["id"]), .time = ReadSqlTime(record.String("created_at"))};
}

void AgentsRowConverter::Convert(const JsonObject& record, RecordEvents& events) {
  const JsonObject item = record.Embedded("message_data");
  if (item.fields().empty()) return;
  items_.Convert(item, events);
  if (events.empty()) return;
  // A session has no decisions: those of its run are in the RunState.
  auto* result = std::get_if<ToolCallResponse>(&events.events().back().body);
  if (result != nullptr) RecogniseRejection({}, *result);
}

}  // namespace turnlog
