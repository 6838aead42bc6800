#include "migrate/jp/writer.h"

#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

#include "base/base64.h"
#include "migrate/jp/time.h"
#include "schema/event/event_fields.h"
#include "schema/event/inquiry_json_write.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_string.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

void AppendEncodedToken(std::string_view text, std::string& out) {
  out.push_back('"');
  AppendBase64(text, out);
  out.push_back('"');
}

void EncodeToken(std::string_view token, std::string& out) { AppendEncodedToken(UnescapeJson(token), out); }

void EncodedField(std::string_view key, const JsonView& value, JsonWriter& json) {
  json.Key(key), AppendRewrittenPretty(value.text(), json.depth(), EncodeToken, json.Value());
}

void WriteBody(const TurnStart&, JsonWriter&) {}

void WriteBody(const BasicChatRequest<std::string_view>& body, JsonWriter& json) {
  json.Field("content", body.content);
  json.OptionalField("schema", body.schema);
  json.OptionalField("author", body.author);
}

void WriteBody(const BasicChatResponse<std::string_view>& body, JsonWriter& json) {
  json.Key(fields::kChatParts[static_cast<std::size_t>(body.part)]);
  body.part == ChatPart::kData ? json.Raw(body.content) : json.String(body.content);
}

void WriteBody(const BasicToolCallRequest<std::string_view>& body, JsonWriter& json) {
  json.Field("id", body.id);
  json.Field("name", body.name);
  EncodedField("arguments", body.arguments.empty() ? JsonView::FromTrusted("{}") : body.arguments, json);
}

void WriteBody(const BasicToolCallResponse<std::string_view>& body, JsonWriter& json) {
  json.Field("id", body.id);
  json.Key("content"), AppendEncodedToken(body.content, json.Value());
  json.Key("is_error"), json.Bool(body.is_error);
  if (!body.denied) return;
  json.Key("denied"), json.StartObject();
  json.OptionalField("reason", body.denied->reason);
  WriteResponder(body.denied->responder, json);
  json.Fields(body.denied->extra);
  json.EndObject();
}

void WriteBody(const BasicInquiryRequest<std::string_view>& body, JsonWriter& json) {
  json.Field("id", body.id.text);
  json.Key("source"), WriteInquirySource(body.source, json);
  json.Key("question"), WriteQuestion(body.question, json);
  json.OptionalField("escalated_from", body.escalated_from);
}

void WriteBody(const BasicInquiryResponse<std::string_view>& body, JsonWriter& json, InquiryForm form) {
  if (form == InquiryForm::kTagged) {
    json.Field("outcome", fields::kOutcomes[static_cast<std::size_t>(body.outcome)]);
  }
  json.Field("id", body.id.text);
  json.OptionalField("answer", body.answer);
  json.OptionalField("reason", body.reason);
  WriteResponder(body.responder, json);
}

// Verbatim ones are written as they are, and those of turnlog itself are not exported.
void WriteBody(const BasicVerbatim<std::string_view>&, JsonWriter&) {}
void WriteBody(const RepairView&, JsonWriter&) {}
void WriteBody(const RedactionRecordView&, JsonWriter&) {}

template <class Body>
void WriteBody(const Body& body, JsonWriter& json, InquiryForm) {
  WriteBody(body, json);
}

void WriteElement(const EventView& event, InquiryForm form, JsonWriter json) {
  json.StartObject();
  if (event.timestamp) json.Field("timestamp", FormatJpTime(*event.timestamp));
  json.Field("type", ToString(event.kind()));
  std::visit([&](const auto& body) { WriteBody(body, json, form); }, event.body);
  json.Fields(event.extra);
  if (event.kind() != EventKind::kTurnStart) json.OptionalField("event_id", event.event_id);
  if (!event.metadata.empty() && event.metadata.text() != "{}") EncodedField("metadata", event.metadata, json);
  json.EndObject();
}

// Leaves the event without its message; false: it has none.
bool TakeMessage(EventView& event) {
  if (auto* request = std::get_if<BasicChatRequest<std::string_view>>(&event.body)) {
    return !std::exchange(request->content, {}).empty();
  }
  auto* response = std::get_if<BasicChatResponse<std::string_view>>(&event.body);
  return response != nullptr && response->part != ChatPart::kData && !std::exchange(response->content, {}).empty();
}

}  // namespace

void AppendJpElement(const EventView& event, std::string& out, InquiryForm form) {
  if (const auto* verbatim = std::get_if<BasicVerbatim<std::string_view>>(&event.body)) {
    return AppendPretty(verbatim->json.text(), 1, out);
  }
  WriteElement(event, form, JsonWriter::Pretty(out, 1));
}

bool IsJpElementOf(std::string_view element, EventView event, std::string& scratch) {
  const bool has_message = TakeMessage(event);
  scratch.clear();
  AppendJpElement(event, scratch);
  if (!has_message) return element == scratch;
  // Most of a history is messages: one that was read from a string that is as usual would be written as it was. Only
  // the time and the type precede it, and are never empty.
  constexpr std::string_view kEmptyText = R"(: "")";
  const std::string_view written = scratch;
  const std::size_t end = written.find(kEmptyText) + kEmptyText.size();
  const std::string_view before = written.substr(0, end - 2), after = written.substr(end);
  if (element.size() < before.size() + after.size() || !element.starts_with(before) || !element.ends_with(after)) {
    return false;
  }
  element.remove_prefix(before.size());
  element.remove_suffix(after.size());
  return IsUsualJsonString(element);
}

}  // namespace turnlog
