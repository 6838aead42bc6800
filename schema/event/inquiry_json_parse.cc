#include "schema/event/inquiry_json_parse.h"

#include <span>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "schema/event/codec.h"
#include "schema/event/event_fields.h"

namespace turnlog {
namespace {

using Names = std::span<const std::string_view>;
using Object = JsonReader::Object;
using Value = JsonReader::Value;

Read<SelectOptionView> ReadOption(JsonReader& json, Value value) {
  Object object = TURNLOG_TRY(json.OpenObject(value));
  SelectOptionView option;
  const auto on_field = [&](std::size_t index, Value field) -> Read<void> {
    if (index == fields::kValue) option.value = TURNLOG_TRY(json.Raw(field));
    if (index == fields::kDescription) option.description = TURNLOG_TRY(json.OptionalString(field));
    return {};
  };
  const auto seen = TURNLOG_TRY(json.Fields(object, fields::kOption, option.extra, on_field));
  TURNLOG_TRY(JsonReader::Require(object, fields::kOption, seen, {fields::kValue}));
  return option;
}

Read<void> ReadOptions(JsonReader& json, Value value, std::vector<SelectOptionView>& options) {
  return json.Array(value, [&](Value element) -> Read<void> {
    if (options.size() == kMaxSelectOptions) return json.Fault(element, "too many options");
    options.push_back(TURNLOG_TRY(ReadOption(json, element)));
    return {};
  });
}

Read<AnswerTypeView> ReadAnswerType(JsonReader& json, Value value) {
  Object object = TURNLOG_TRY(json.OpenObject(value));
  AnswerTypeView type;
  type.kind = TURNLOG_TRY(json.FindWord<AnswerKind>(object, "type", fields::kAnswerKinds, "unknown answer type"));
  const bool select = type.kind == AnswerKind::kSelect || type.kind == AnswerKind::kMultiSelect;
  const bool schema = type.kind == AnswerKind::kSchema;
  const Names names = select   ? Names(fields::kSelectAnswer)
                      : schema ? Names(fields::kSchemaAnswer)
                               : Names(fields::kPlainAnswer);
  const auto on_field = [&](std::size_t index, Value field) -> Read<void> {
    if (index == fields::kAnswerKind) TURNLOG_TRY(json.Raw(field));
    if (index == fields::kOptions && select) return ReadOptions(json, field, type.options);
    if (index == fields::kOther) type.other = TURNLOG_TRY(json.OptionalBool(field)).value_or(false);
    if (index == fields::kAnswerSchema && schema) type.schema = TURNLOG_TRY(json.RawObject(field));
    return {};
  };
  const auto seen = TURNLOG_TRY(json.Fields(object, names, type.extra, on_field));
  if (select || schema) TURNLOG_TRY(JsonReader::Require(object, names, seen, {fields::kOptions}));
  return type;
}

Read<std::uint32_t> ReadAttempt(JsonReader& json, Value value) {
  const std::uint64_t attempt = TURNLOG_TRY(json.Unsigned(value));
  if (attempt == 0 || attempt > UINT32_MAX) return json.Fault(value, "must be a whole number from 1 to 2^32-1");
  return static_cast<std::uint32_t>(attempt);
}

}  // namespace

Read<InquirySourceView> ReadInquirySource(JsonReader& json, Value value) {
  Object object = TURNLOG_TRY(json.OpenObject(value));
  InquirySourceView source;
  source.kind = TURNLOG_TRY(json.FindWord<SourceKind>(object, "source", fields::kSourceKinds, "unknown source"));
  const bool named = source.kind == SourceKind::kTool || source.kind == SourceKind::kOther;
  const Names names = named ? Names(fields::kNamedSource) : Names(fields::kNamelessSource);
  const auto on_field = [&](std::size_t index, Value field) -> Read<void> {
    if (index == fields::kSourceName) source.name = TURNLOG_TRY(json.String(field));
    if (index == fields::kSourceKind) TURNLOG_TRY(json.Raw(field));
    return {};
  };
  const auto seen = TURNLOG_TRY(json.Fields(object, names, source.extra, on_field));
  if (named) TURNLOG_TRY(JsonReader::Require(object, names, seen, {fields::kSourceName}));
  return source;
}

Read<QuestionView> ReadQuestion(JsonReader& json, Value value) {
  Object object = TURNLOG_TRY(json.OpenObject(value));
  QuestionView question;
  const auto on_field = [&](std::size_t index, Value field) -> Read<void> {
    switch (static_cast<fields::QuestionField>(index)) {
      case fields::kText:
        question.text = TURNLOG_TRY(json.String(field));
        break;
      case fields::kAnswerType:
        question.answer_type = TURNLOG_TRY(ReadAnswerType(json, field));
        break;
      case fields::kDefault:
        question.default_value = TURNLOG_TRY(json.OptionalRaw(field));
        break;
      case fields::kContext:
        question.context = TURNLOG_TRY(json.OptionalString(field));
        break;
      case fields::kExclusive:
        question.exclusive = TURNLOG_TRY(json.OptionalBool(field));
        break;
      case fields::kPersistence:
        question.persistence = TURNLOG_TRY(json.OptionalString(field));
        break;
    }
    return {};
  };
  const auto seen = TURNLOG_TRY(json.Fields(object, fields::kQuestionNames, question.extra, on_field));
  TURNLOG_TRY(JsonReader::Require(object, fields::kQuestionNames, seen, {fields::kText, fields::kAnswerType}));
  return question;
}

Read<std::optional<ResponderView>> ReadResponder(JsonReader& json, Value value) {
  if (TURNLOG_TRY(json.TakeNull(value))) return std::nullopt;
  Object object = TURNLOG_TRY(json.OpenObject(value));
  ResponderView responder;
  const auto on_field = [&](std::size_t index, Value field) -> Read<void> {
    if (index == fields::kResponderKind) responder.kind = TURNLOG_TRY(json.String(field));
    if (index == fields::kModel) responder.model = TURNLOG_TRY(json.OptionalString(field));
    if (index == fields::kWho) responder.who = TURNLOG_TRY(json.OptionalString(field));
    if (index == fields::kVia) responder.via = TURNLOG_TRY(json.OptionalString(field));
    return {};
  };
  const auto seen = TURNLOG_TRY(json.Fields(object, fields::kResponderNames, responder.extra, on_field));
  TURNLOG_TRY(JsonReader::Require(object, fields::kResponderNames, seen, {fields::kResponderKind}));
  return responder;
}

Read<void> InquiryIdReader::ReadText(Value value) {
  id_.text = TURNLOG_TRY(json_.Id(value));
  return {};
}

Read<void> InquiryIdReader::ReadKey(Value value) {
  Object object = TURNLOG_TRY(json_.OpenObject(value));
  InquiryKeyView key;
  JsonView extra;
  const auto on_field = [&](std::size_t index, Value field) -> Read<void> {
    if (index == fields::kToolCall) key.tool_call = TURNLOG_TRY(json_.String(field));
    if (index == fields::kKeyQuestion) key.question = TURNLOG_TRY(json_.String(field));
    if (index == fields::kAttempt) key.attempt = TURNLOG_TRY(ReadAttempt(json_, field));
    return {};
  };
  const auto seen = TURNLOG_TRY(json_.Fields(object, fields::kInquiryKey, extra, on_field));
  if (!extra.empty()) return JsonReader::Fault(object.byte, "holds a field that is no part of an id");
  TURNLOG_TRY(JsonReader::Require(object, fields::kInquiryKey, seen,
                                  {fields::kToolCall, fields::kKeyQuestion, fields::kAttempt}));
  id_.key = key;
  key_byte_ = object.byte;
  return {};
}

Read<InquiryIdView> InquiryIdReader::Join(const Object& object) {
  if (!id_.key) {
    if (id_.text.empty()) return JsonReader::Fault(object.byte, "id is missing");
    return id_;
  }
  auto joined = MakeInquiryId(id_.key->tool_call, id_.key->question, id_.key->attempt);
  if (!joined) return JsonReader::In("key", {key_byte_, {}, joined.error().message});
  if (id_.text.empty()) id_.text = json_.Keep(joined->text);
  if (joined->text != id_.text) return JsonReader::In("key", {key_byte_, {}, "does not fit the id"});
  return id_;
}

}  // namespace turnlog
