#include "migrate/jp/writer.h"

#include <string_view>
#include <variant>

#include "base/base64.h"
#include "migrate/jp/time.h"
#include "migrate/json_text.h"
#include "schema/event/event_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

void AppendEncodedToken(std::string_view text, std::string& out) {
  out.push_back('"');
  AppendBase64(text, out);
  out.push_back('"');
}

void EncodeToken(std::string_view token, std::string& out) { AppendEncodedToken(UnescapeJson(token), out); }

// Writes one object, compact.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_.push_back('{'); }
  ~ObjectWriter() { out_.push_back('}'); }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;

  // The caller writes the value.
  std::string& Key(std::string_view key) {
    if (out_.back() != '{') out_.push_back(',');
    AppendToken(key, out_);
    out_.push_back(':');
    return out_;
  }

  void String(std::string_view key, std::string_view text) { AppendToken(text, Key(key)); }
  void OptionalString(std::string_view key, const std::optional<std::string_view>& text) {
    if (text) String(key, *text);
  }
  void Bool(std::string_view key, bool value) { Key(key) += value ? "true" : "false"; }
  void Json(std::string_view key, const JsonView& json) {
    if (!json.empty()) Key(key) += json.text();
  }
  void Encoded(std::string_view key, std::string_view json) { AppendRewritten(json, EncodeToken, Key(key)); }

  // The fields of an object that is already JSON.
  void Extra(const JsonView& object) {
    if (object.empty()) return;
    JsonFields fields(object.text());
    while (fields.Next().value_or(false)) {
      if (out_.back() != '{') out_.push_back(',');
      out_.append(fields.key()).append(1, ':').append(fields.value());
    }
  }

 private:
  std::string& out_;
};

void WriteAnswerType(const BasicAnswerType<std::string_view>& type, std::string& out) {
  ObjectWriter object(out);
  object.String("type", fields::kAnswerKinds[static_cast<std::size_t>(type.kind)]);
  if (type.kind == AnswerKind::kSelect || type.kind == AnswerKind::kMultiSelect) {
    object.Key("options").push_back('[');
    for (const auto& option : type.options) {
      if (&option != &type.options.front()) out.push_back(',');
      ObjectWriter item(out);
      item.Json("value", option.value);
      item.OptionalString("description", option.description);
      item.Extra(option.extra);
    }
    out.push_back(']');
  }
  object.Json("schema", type.schema);
  object.Extra(type.extra);
}

void WriteQuestion(const BasicQuestion<std::string_view>& question, std::string& out) {
  ObjectWriter object(out);
  object.String("text", question.text);
  WriteAnswerType(question.answer_type, object.Key("answer_type"));
  object.Json("default", question.default_value);
  object.OptionalString("context", question.context);
  if (question.exclusive) object.Bool("exclusive", *question.exclusive);
  object.OptionalString("persistence", question.persistence);
  object.Extra(question.extra);
}

void WriteBody(const TurnStart&, ObjectWriter&) {}

void WriteBody(const BasicChatRequest<std::string_view>& body, ObjectWriter& element) {
  element.String("content", body.content);
  element.Json("schema", body.schema);
  element.OptionalString("author", body.author);
}

void WriteBody(const BasicChatResponse<std::string_view>& body, ObjectWriter& element) {
  const std::string_view name = fields::kChatParts[static_cast<std::size_t>(body.part)];
  if (body.part == ChatPart::kData) {
    element.Key(name) += body.content;
  } else {
    element.String(name, body.content);
  }
}

void WriteBody(const BasicToolCallRequest<std::string_view>& body, ObjectWriter& element) {
  element.String("id", body.id);
  element.String("name", body.name);
  element.Encoded("arguments", body.arguments.empty() ? "{}" : body.arguments.text());
}

void WriteBody(const BasicToolCallResponse<std::string_view>& body, ObjectWriter& element) {
  element.String("id", body.id);
  AppendEncodedToken(body.content, element.Key("content"));
  element.Bool("is_error", body.is_error);
  if (body.denied) {
    ObjectWriter denied(element.Key("denied"));
    denied.OptionalString("reason", body.denied->reason);
    denied.Extra(body.denied->extra);
  }
}

void WriteBody(const BasicInquiryRequest<std::string_view>& body, ObjectWriter& element) {
  element.String("id", body.id.text);
  {
    ObjectWriter source(element.Key("source"));
    source.String("source", fields::kSourceKinds[static_cast<std::size_t>(body.source.kind)]);
    if (body.source.kind == SourceKind::kTool || body.source.kind == SourceKind::kOther) {
      source.String("name", body.source.name);
    }
    source.Extra(body.source.extra);
  }
  WriteQuestion(body.question, element.Key("question"));
  element.OptionalString("escalated_from", body.escalated_from);
}

void WriteBody(const BasicInquiryResponse<std::string_view>& body, ObjectWriter& element) {
  element.String("outcome", fields::kOutcomes[static_cast<std::size_t>(body.outcome)]);
  element.String("id", body.id.text);
  element.Json("answer", body.answer);
  element.OptionalString("reason", body.reason);
  if (body.responder) {
    ObjectWriter responder(element.Key("responder"));
    responder.String("kind", body.responder->kind);
    responder.OptionalString("model", body.responder->model);
    responder.Extra(body.responder->extra);
  }
}

// Verbatim ones are written as they are, and those of turnlog itself are not exported.
void WriteBody(const BasicVerbatim<std::string_view>&, ObjectWriter&) {}
void WriteBody(const RepairView&, ObjectWriter&) {}
void WriteBody(const RedactionRecordView&, ObjectWriter&) {}

void WriteElement(const EventView& event, std::string& out) {
  ObjectWriter element(out);
  if (event.timestamp) element.String("timestamp", FormatJpTime(*event.timestamp));
  element.String("type", ToString(event.kind()));
  std::visit([&](const auto& body) { WriteBody(body, element); }, event.body);
  element.Extra(event.extra);
  if (event.kind() != EventKind::kTurnStart) element.OptionalString("event_id", event.event_id);
  const std::string_view metadata = event.metadata.text();
  if (!metadata.empty() && metadata != "{}") element.Encoded("metadata", metadata);
}

}  // namespace

void AppendJpElement(const EventView& event, std::string& out) {
  if (const auto* verbatim = std::get_if<BasicVerbatim<std::string_view>>(&event.body)) {
    return AppendPretty(verbatim->json.text(), 1, out);
  }
  std::string element;
  WriteElement(event, element);
  AppendPretty(element, 1, out);
}

}  // namespace turnlog
