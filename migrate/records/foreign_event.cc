#include "migrate/records/foreign_event.h"

#include "schema/json/json_fields.h"
#include "schema/json/json_writer.h"
#include "turnlog/migrate/foreign_record.h"

namespace turnlog {

Event MakeForeign(std::string_view format, std::string_view record, std::optional<Timestamp> time,
                  const std::optional<std::string>& event_id) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("type", kForeignTag);
  json.Field("format", format);
  if (time) json.Field("timestamp", time->ToRfc3339());
  if (event_id) json.Field("event_id", *event_id);
  json.Key("record"), json.Exactly(record);
  json.EndObject();
  Event event;
  event.body = Verbatim{EventKind::kUnknown, std::string(kForeignTag), Json::FromTrusted(std::move(text))};
  event.timestamp = time;
  event.event_id = event_id;
  return event;
}

std::optional<std::string_view> ReadForeign(const EventView& event) {
  const auto* verbatim = std::get_if<VerbatimView>(&event.body);
  if (verbatim == nullptr || verbatim->tag != kForeignTag) return std::nullopt;
  const auto record = FindJsonField(verbatim->json.text(), "record");
  return record ? std::optional(record->value) : std::nullopt;
}

std::optional<ForeignRecord> DescribeForeignRecord(const VerbatimView& event) {
  const std::string_view json = event.json.text();
  const auto record = event.tag == kForeignTag ? FindJsonField(json, "record") : std::nullopt;
  if (!record) return std::nullopt;
  ForeignRecord found{FindJsonString(json, "format").value_or(""), FindJsonString(record->value, "type").value_or("")};
  auto subtype = FindJsonString(record->value, "subtype");
  if (const auto payload = FindJsonField(record->value, "payload"); payload && !subtype) {
    subtype = FindJsonString(payload->value, "type");
  }
  if (subtype) found.type += "/" + *subtype;
  return found;
}

}  // namespace turnlog
