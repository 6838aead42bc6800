#include "migrate/records/record_revision.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "migrate/records/foreign_event.h"
#include "migrate/records/record_template.h"
#include "schema/event/template_marks.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

constexpr std::string_view kRevises = "revises", kRow = "row";

// What is no JSON, as a whole file that is one text, is kept as a JSON string.
Event Make(std::string_view format, std::string_view bytes, Seq first, std::string_view row) {
  const std::size_t begin = std::min(bytes.find('{'), bytes.size());
  const bool is_json = ParseJson(bytes.substr(begin)).has_value();
  const std::string_view lead = is_json ? bytes.substr(0, begin) : std::string_view();
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("type", kForeignTag);
  json.Field("format", format);
  json.Key(kRevises), json.Unsigned(first.value);
  if (!row.empty()) json.Field(kRow, row);
  json.Key("record");
  is_json ? json.Exactly(bytes.substr(begin)) : json.String(bytes);
  json.EndObject();
  Event event;
  event.body = Verbatim{EventKind::kUnknown, std::string(kForeignTag), Json::FromTrusted(std::move(text))};
  event.source_text = std::string(lead) + kSlotMark + static_cast<char>(is_json ? Slot::kRecord : Slot::kText);
  return event;
}

// A field before the record, which may be large.
std::optional<std::string_view> FindField(const EventView& event, std::string_view name) {
  const auto* verbatim = std::get_if<VerbatimView>(&event.body);
  if (verbatim == nullptr || verbatim->tag != kForeignTag) return std::nullopt;
  JsonFields fields(verbatim->json.text());
  while (fields.Next().value_or(false) && !fields.KeyIs("record")) {
    if (fields.KeyIs(name)) return fields.value();
  }
  return std::nullopt;
}

}  // namespace

Event MakeRevision(std::string_view format, std::string_view bytes, Seq first) {
  return Make(format, bytes, first, {});
}

Event MakeRow(std::string_view format, std::string_view bytes, std::string_view name) {
  Event event = Make(format, bytes, Seq{0}, name);
  *event.source_text += '\n';
  return event;
}

std::optional<Seq> ReadRevision(const EventView& event) {
  const auto digits = FindField(event, kRevises);
  if (!digits) return std::nullopt;
  Seq first;
  const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), first.value);
  return error == std::errc() ? std::optional(first) : std::nullopt;
}

std::optional<std::string> ReadRowName(const EventView& event) {
  const auto name = FindField(event, kRow);
  return name && name->starts_with('"') ? std::optional(UnescapeJson(*name)) : std::nullopt;
}

}  // namespace turnlog
