#include "turnlog/inquiry/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/try.h"
#include "inquiry/json_schema.h"
#include "inquiry/schema_nesting.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

std::unexpected<Error> Invalid(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

constexpr const char* kAnswerPointer = "/properties/answer";

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

bool IsSelect(const AnswerType& type) {
  return type.kind == AnswerKind::kSelect || type.kind == AnswerKind::kMultiSelect;
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

void WriteOptions(const AnswerType& type, JsonWriter& json) {
  json.StartObject();
  if (const std::string_view common = CommonType(type); !common.empty()) json.Field("type", common);
  json.Key("enum"), json.StartArray();
  for (const SelectOption& option : type.options) json.Raw(option.value.text());
  json.EndArray();
  json.EndObject();
}

void AppendChoice(const AnswerType& type, JsonWriter& json) {
  if (!type.other) return WriteOptions(type, json);
  json.StartObject();
  json.Key("anyOf"), json.StartArray();
  WriteOptions(type, json);
  json.Raw(R"({"type":"string","minLength":1})");
  json.EndArray();
  json.EndObject();
}

void AppendAnswerSchema(const AnswerType& type, JsonWriter& json) {
  switch (type.kind) {
    case AnswerKind::kBoolean:
      return json.Raw(R"({"type":"boolean"})");
    case AnswerKind::kSelect:
      return AppendChoice(type, json);
    case AnswerKind::kMultiSelect:
      json.StartObject();
      json.Field("type", "array");
      json.Key("items"), AppendChoice(type, json);
      json.Key("uniqueItems"), json.Bool(true);
      return json.EndObject();
    case AnswerKind::kText:
    case AnswerKind::kSecret:
      return json.Raw(R"({"type":"string"})");
    case AnswerKind::kSchema:
      return AppendNested(ParseTree(type.schema), kAnswerPointer, json);
  }
}

// For the check alone: as the question has it.
std::string SchemaOf(const AnswerType& type) {
  if (type.kind == AnswerKind::kSchema) return type.schema.text();
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
  if (type.other) list += "\n- or another text";
  return list.empty() ? list : "\n\nOptions:" + list;
}

// The option that is the same value; none if there is none.
const Json* FindOption(const AnswerType& type, const JsonNode& answer) {
  const auto option = std::ranges::find_if(
      type.options, [&](const SelectOption& each) { return SameValue(ParseTree(each.value), answer); });
  return option == type.options.end() ? nullptr : &option->value;
}

bool SameOptions(const AnswerType& left, const AnswerType& right) {
  return std::ranges::equal(left.options, right.options,
                            [](const SelectOption& a, const SelectOption& b) { return SameValue(a.value, b.value); });
}

bool SameSchema(const Json& left, const Json& right) {
  return left.empty() || right.empty() ? left.empty() == right.empty() : SameValue(left, right);
}

}  // namespace

Status CheckQuestion(const Question& question) {
  const AnswerType& type = question.answer_type;
  if (IsBlank(question.text)) return Invalid("question.text: must not be empty");
  if (IsSelect(type) && type.options.empty())
    return Invalid("question.answer_type.options: there must be at least one");
  if (type.kind == AnswerKind::kSecret && !question.default_value.empty()) {
    return Invalid("question.default: a secret has none, it would be stored in clear");
  }
  if (type.kind != AnswerKind::kSchema) return {};
  if (type.schema.empty() || FindJsonFault(type.schema.text()))
    return Invalid("question.answer_type.schema: is no JSON");
  const auto problem = FindSchemaProblem(ParseTree(type.schema));
  return problem ? Invalid("question.answer_type.schema: " + *problem) : Status();
}

bool SameQuestion(const Question& left, const Question& right) {
  const AnswerType &a = left.answer_type, &b = right.answer_type;
  return left.text == right.text && a.kind == b.kind && a.other == b.other && SameOptions(a, b) &&
         SameSchema(a.schema, b.schema);
}

Json CanonicalAnswer(const AnswerType& type, const Json& answer) {
  if (!IsSelect(type)) return answer;
  const JsonNode node = ParseTree(answer);
  if (type.kind == AnswerKind::kSelect) {
    const Json* const option = FindOption(type, node);
    return option != nullptr ? *option : answer;
  }
  std::string out;
  JsonWriter json(out);
  json.StartArray();
  for (const JsonNode& element : node.elements) {
    const Json* const option = FindOption(type, element);
    json.Raw(option != nullptr ? option->text() : element.text);
  }
  json.EndArray();
  return Json::FromTrusted(std::move(out));
}

bool SameAnswer(const AnswerType& type, const Json& left, const Json& right) {
  if (type.kind != AnswerKind::kMultiSelect) return SameValue(left, right);
  const JsonNode a = ParseTree(left), b = ParseTree(right);
  return a.is(Kind::kArray) && b.is(Kind::kArray) &&
         std::ranges::is_permutation(a.elements, b.elements,
                                     [](const JsonNode& x, const JsonNode& y) { return SameValue(x, y); });
}

Status CheckAnswer(const AnswerType& type, const Json& answer) {
  if (answer.empty()) return Invalid("answer: is missing");
  if (FindJsonFault(answer.text())) return Invalid("answer: is not JSON");
  if (type.kind == AnswerKind::kSecret) {  // without a tree, which would leave copies of it in memory
    return answer.text().starts_with('"') ? Status() : Invalid("answer: must be of type string");
  }
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
  if (type.kind == AnswerKind::kSchema) AppendDefinitions(ParseTree(type.schema), kAnswerPointer, json);
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
  if (tree.fields.size() > 2) return Invalid("only `reason` and `answer` are allowed");
  return AssistantAnswer{reason->string, CanonicalAnswer(type, answer->json())};
}

std::string RejectionText(const Error& error) {
  return fmt::format(
      "Your answer was not accepted: {}. Give one JSON object with two fields, `reason` (a string) and then `answer`, "
      "as the schema says.",
      error.message);
}

}  // namespace turnlog
