#include "migrate/openai_agents/row_converter.h"

#include <string>

#include "migrate/records/approval.h"

namespace turnlog {
namespace {

// What the SDK returns for a call that was rejected without a message.
constexpr std::string_view kRejected = "Tool execution was not approved.";

// "2026-01-31 10:00:00", in UTC.
std::optional<Timestamp> ReadSqlTime(const std::optional<std::string>& text) {
  if (!text || text->size() < 19 || (*text)[10] != ' ') return std::nullopt;
  const auto time = Timestamp::ParseRfc3339(text->substr(0, 10) + "T" + text->substr(11) + "Z");
  return time ? std::optional(*time) : std::nullopt;
}

}  // namespace

RecordHead AgentsRowConverter::Head(const JsonObject& record) const {
  return {.id = std::string(record["id"]), .time = ReadSqlTime(record.String("created_at"))};
}

void AgentsRowConverter::Convert(const JsonObject& record, RecordEvents& events) {
  const JsonObject item = record.Embedded("message_data");
  if (item.fields().empty()) return;
  items_.Convert(item, events);
  RecogniseRejection(events);
}

void RecogniseRejection(RecordEvents& events) {
  if (events.empty()) return;
  auto* result = std::get_if<ToolCallResponse>(&events.events().back().body);
  if (result == nullptr || result->content != kRejected) return;
  result->is_error = true;
  result->denied = DeniedByUser(std::nullopt);
}

}  // namespace turnlog
