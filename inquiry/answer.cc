#include "turnlog/inquiry/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/try.h"
#include "inquiry/json_schema.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

std::unexpected<Error> Invalid(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

// The JSON type that all option values have, if they have one in common.
std::string_view CommonType(const AnswerType& type) {
  constexpr std::array<std::string_view, 6> kTypes{"null", "boolean", "number", "string", "array", "object"};
  std::string_view common;
  for (const SelectOption& option : type.options) {
    const std::string_view own = kTypes[static_cast<std::size_t>(ParseTree(option.value).kind)];
    if (!common.empty() && common != own) return {};
    common = own;
  }
  return common;
}

void AppendOptions(const AnswerType& type, JsonWriter& json) {
  json.StartObject();
  if (const std::string_view common = CommonType(type); !common.empty()) json.Field("type", common);
  json.Key("enum"), json.StartArray();
  for (const SelectOption& option : type.options) json.Raw(option.value.text());
  json.EndArray();
  json.EndObject();
}

void AppendAnswerSchema(const AnswerType& type, JsonWriter& json) {
  switch (type.kind) {
    case AnswerKind::kBoolean:
      return json.Raw(R"({"type":"boolean"})");
    case AnswerKind::kSelect:
      return AppendOptions(type, json);
    case AnswerKind::kMultiSelect:
      json.StartObject();
      json.Field("type", "array");
      json.Key("items"), AppendOptions(type, json);
      json.Key("uniqueItems"), json.Bool(true);
      return json.EndObject();
    case AnswerKind::kText:
    case AnswerKind::kSecret:
      return json.Raw(R"({"type":"string"})");
    case AnswerKind::kSchema:
      return json.Raw(type.schema.text());
  }
}

std::string SchemaOf(const AnswerType& type) {
  std::string out;
  JsonWriter json(out);
  AppendAnswerSchema(type, json);
  return out;
}

std::string OptionList(const AnswerType& type) {
  std::string list;
  for (const SelectOption& option : type.options) {
    fmt::format_to(std::back_inserter(list), "\n- {}", option.value.text());
    if (option.description) fmt::format_to(std::back_inserter(list), ": {}", *option.description);
  }
  return list.empty() ? list : "\n\nOptions:" + list;
}

}  // namespace

Status CheckAnswer(const AnswerType& type, const Json& answer) {
  if (answer.empty()) return Invalid("answer: is missing");
  if (FindJsonFault(answer.text())) return Invalid("answer: is not JSON");
  const std::string schema = SchemaOf(type);
  const auto fault = FindSchemaFault(ParseTree(JsonView::FromTrusted(schema)), ParseTree(answer), "answer");
  return fault ? Invalid(*fault) : Status();
}

Result<Json> AnswerSchema(const AnswerType& type) {
  if (type.kind == AnswerKind::kSecret) return Invalid("a secret is not asked of the assistant");
  std::string out;
  JsonWriter json(out);
  json.StartObject();
  json.Field("type", "object");
  json.Key("properties"), json.StartObject();
  json.Key("reason"), json.StartObject();
  json.Field("type", "string");
  json.Field("description", "Brief explanation of why you chose this answer.");
  json.EndObject();
  json.Key("answer"), AppendAnswerSchema(type, json);
  json.EndObject();
  json.Key("required"), json.Raw(R"(["reason","answer"])");
  json.Key("additionalProperties"), json.Bool(false);
  json.EndObject();
  return Json::FromTrusted(std::move(out));
}

std::string AssistantPrompt(const InquiryRequest& inquiry) {
  const std::string who =
      inquiry.source.name.empty() ? "A question needs" : fmt::format("The tool `{}` needs", inquiry.source.name);
  const std::string context = inquiry.question.context ? *inquiry.question.context + "\n\n" : "";
  return fmt::format(
      "{} an answer.\n\n{}{}{}\n\nAnswer from what the conversation tells. In the `reason` field, briefly explain why "
      "you chose your answer.",
      who, context, inquiry.question.text, OptionList(inquiry.question.answer_type));
}

Result<AssistantAnswer> ParseAssistantAnswer(const AnswerType& type, std::string_view json) {
  const Json schema = TURNLOG_TRY(AnswerSchema(type));
  const auto given = ParseJson(json);
  if (!given) return Invalid(given.error().message);
  const JsonNode tree = ParseTree(*given);
  if (!tree.is(Kind::kObject)) return Invalid("the answer must be an object");
  const JsonNode* const reason = tree.Find("reason");
  const JsonNode* const answer = tree.Find("answer");
  if (reason == nullptr || !reason->is(Kind::kString)) return Invalid("reason: must be a string");
  if (reason->string.empty()) return Invalid("reason: must not be empty");
  if (answer == nullptr) return Invalid("answer: is missing");
  TURNLOG_TRY(CheckAnswer(type, answer->json()));
  if (tree.fields.size() > 2) return Invalid("nothing may stand beside `reason` and `answer`");
  return AssistantAnswer{reason->string, answer->json()};
}

std::string RejectionText(const Error& error) {
  return fmt::format(
      "Your answer was not accepted: {}. Give one JSON object with two fields, `reason` (a string) and then `answer`, "
      "as the schema says.",
      error.message);
}

}  // namespace turnlog
