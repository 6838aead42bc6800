#include "schema/event/inquiry_json_write.h"

#include <vector>

#include "schema/event/event_fields.h"

namespace turnlog {
namespace {

void WriteOptions(const std::vector<BasicSelectOption<std::string_view>>& options, JsonWriter& json) {
  json.Key("options"), json.StartArray();
  for (const auto& option : options) {
    json.StartObject();
    json.OptionalField("value", option.value);
    json.OptionalField("description", option.description);
    json.Fields(option.extra);
    json.EndObject();
  }
  json.EndArray();
}

void WriteAnswerType(const BasicAnswerType<std::string_view>& type, JsonWriter& json) {
  json.StartObject();
  json.Field("type", fields::kAnswerKinds[static_cast<std::size_t>(type.kind)]);
  if (type.kind == AnswerKind::kSelect || type.kind == AnswerKind::kMultiSelect) WriteOptions(type.options, json);
  if (type.other) json.Key("other"), json.Bool(true);
  json.OptionalField("schema", type.schema);
  json.Fields(type.extra);
  json.EndObject();
}

}  // namespace

void WriteInquirySource(const BasicInquirySource<std::string_view>& source, JsonWriter& json) {
  json.StartObject();
  json.Field("source", fields::kSourceKinds[static_cast<std::size_t>(source.kind)]);
  if (source.kind == SourceKind::kTool || source.kind == SourceKind::kOther) json.Field("name", source.name);
  json.Fields(source.extra);
  json.EndObject();
}

void WriteQuestion(const BasicQuestion<std::string_view>& question, JsonWriter& json) {
  json.StartObject();
  json.Field("text", question.text);
  json.Key("answer_type"), WriteAnswerType(question.answer_type, json);
  json.OptionalField("default", question.default_value);
  json.OptionalField("context", question.context);
  if (question.exclusive) json.Key("exclusive"), json.Bool(*question.exclusive);
  json.OptionalField("persistence", question.persistence);
  json.Fields(question.extra);
  json.EndObject();
}

void WriteResponder(const std::optional<BasicResponder<std::string_view>>& responder, JsonWriter& json) {
  if (!responder) return;
  json.Key("responder"), json.StartObject();
  json.Field("kind", responder->kind);
  json.OptionalField("model", responder->model);
  json.OptionalField("who", responder->who);
  json.OptionalField("via", responder->via);
  json.Fields(responder->extra);
  json.EndObject();
}

}  // namespace turnlog
