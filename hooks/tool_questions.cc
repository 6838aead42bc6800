#include "hooks/tool_questions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "schema/json/json_fields.h"
#include "schema/json/json_tree.h"
#include "schema/json/json_writer.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/inquiry/cancellation.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

std::string TextOf(const JsonNode& node, std::string_view name) {
  const JsonNode* const field = node.Find(name);
  return field != nullptr && field->is(Kind::kString) ? field->string : std::string();
}

// {"name": "text"}; nothing if there is no text.
Json Extra(const JsonNode& node, std::string_view name) {
  const std::string value = TextOf(node, name);
  if (value.empty()) return {};
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field(name, value);
  json.EndObject();
  return Json::FromTrusted(std::move(text));
}

std::optional<std::vector<SelectOption>> ReadOptions(const JsonNode& question) {
  std::vector<SelectOption> options;
  const JsonNode* const list = question.Find("options");
  if (list == nullptr || list->is(Kind::kNull)) return options;
  if (!list->is(Kind::kArray)) return std::nullopt;
  for (const JsonNode& node : list->elements) {
    const std::string label = TextOf(node, "label");
    if (label.empty()) return std::nullopt;
    const std::string description = TextOf(node, "description");
    options.push_back(
        {JsonString(label), description.empty() ? std::nullopt : std::optional(description), Extra(node, "preview")});
  }
  return options;
}

// The same that ParseUserQuestions makes of a call of `ask_user_question`, without its limits.
std::optional<Question> ReadQuestion(const JsonNode& node) {
  auto options = ReadOptions(node);
  Question question;
  question.text = TextOf(node, "question");
  if (!options || question.text.empty()) return std::nullopt;
  const JsonNode* const multi = node.Find("multiSelect");
  const bool several = multi != nullptr && multi->is_true();
  question.answer_type.kind = options->empty() ? AnswerKind::kText
                              : several        ? AnswerKind::kMultiSelect
                                               : AnswerKind::kSelect;
  question.answer_type.other = !options->empty();
  question.answer_type.options = *std::move(options);
  question.exclusive = true;
  question.persistence = "none";
  question.extra = Extra(node, "header");
  return question;
}

// An answer as the tools write it: a text, of several options their labels with commas between them.
std::string AnswerText(const Json& answer) {
  const JsonNode node = ParseTree(answer);
  if (node.is(Kind::kString)) return node.string;
  if (!node.is(Kind::kArray)) return answer.text();
  std::string text;
  for (const JsonNode& element : node.elements) {
    text += text.empty() ? "" : ", ";
    text += element.is(Kind::kString) ? element.string : std::string(element.text);
  }
  return text;
}

bool IsAnswered(const InquiryResponse& response) { return response.outcome == Outcome::kAnswered; }

void WriteAnswers(std::span<const Question> questions, std::span<const InquiryResponse> responses, JsonWriter& json) {
  json.Key("answers");
  json.StartObject();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (IsAnswered(responses[i])) json.Field(questions[i].text, AnswerText(responses[i].answer));
  }
  json.EndObject();
}

void WriteNotes(std::span<const Question> questions, std::span<const InquiryResponse> responses, JsonWriter& json) {
  const auto has_note = [](const InquiryResponse& response) { return IsAnswered(response) && response.reason; };
  if (std::ranges::none_of(responses, has_note)) return;
  json.Key("annotations");
  json.StartObject();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (!has_note(responses[i])) continue;
    json.Key(questions[i].text);
    json.StartObject();
    json.Field("notes", *responses[i].reason);
    json.EndObject();
  }
  json.EndObject();
}

// The call's own arguments, with the answers.
Json WithAnswers(const Json& arguments, std::span<const Question> questions,
                 std::span<const InquiryResponse> responses) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  for (JsonFields fields(arguments.text()); fields.Next().value_or(false);) {
    if (fields.KeyIs("answers") || fields.KeyIs("annotations")) continue;
    json.Key(UnescapeJson(fields.key()));
    json.Exactly(fields.value());
  }
  WriteAnswers(questions, responses, json);
  WriteNotes(questions, responses, json);
  json.EndObject();
  return Json::FromTrusted(std::move(text));
}

// Codex has no field for the answers to its own tool; the model reads the reason of a refusal.
std::string AnswersAsReason(std::span<const Question> questions, std::span<const InquiryResponse> responses) {
  std::string text = "The user has answered. ";
  JsonWriter json(text);
  json.StartObject();
  WriteAnswers(questions, responses, json);
  WriteNotes(questions, responses, json);
  json.EndObject();
  return text;
}

}  // namespace

bool IsQuestionTool(AgentTool tool, std::string_view name) {
  return name == (tool == AgentTool::kClaudeCode ? "AskUserQuestion" : "request_user_input");
}

std::optional<std::vector<Question>> ReadToolQuestions(const Json& arguments) {
  if (arguments.empty()) return std::nullopt;
  const JsonNode root = ParseTree(arguments);
  const JsonNode* const list = root.Find("questions");
  if (list == nullptr || !list->is(Kind::kArray) || list->elements.empty()) return std::nullopt;
  std::vector<Question> questions;
  std::set<std::string> texts;
  for (const JsonNode& node : list->elements) {
    auto question = ReadQuestion(node);
    if (!question || !texts.insert(question->text).second) return std::nullopt;
    questions.push_back(*std::move(question));
  }
  return questions;
}

bool AskTheSame(const Json& left, const Json& right) {
  if (left.empty() || right.empty()) return left.empty() == right.empty();
  const JsonNode one = ParseTree(left), other = ParseTree(right);
  const JsonNode *const asked = one.Find("questions"), *const again = other.Find("questions");
  return asked != nullptr && again != nullptr ? SameValue(*asked, *again) : SameValue(one, other);
}

std::optional<Json> FindAnswer(const Json& response, const Question& question) {
  if (response.empty()) return std::nullopt;
  const JsonNode root = ParseTree(response);
  const JsonNode* const answers = root.Find("answers");
  const JsonNode* const answer = answers == nullptr ? nullptr : answers->Find(question.text);
  if (answer == nullptr) return std::nullopt;
  const bool several = question.answer_type.kind == AnswerKind::kMultiSelect;
  Json given =
      several && !answer->is(Kind::kArray) ? Json::FromTrusted("[" + answer->json().text() + "]") : answer->json();
  return CheckAnswer(question.answer_type, given) ? std::optional(std::move(given)) : std::nullopt;
}

HookDecision DecideQuestions(AgentTool tool, const Json& arguments, std::span<const Question> questions,
                             std::span<const InquiryResponse> responses) {
  const auto cancelled_for = [](std::string_view reason) {
    return [reason](const InquiryResponse& each) { return !IsAnswered(each) && each.reason == reason; };
  };
  const auto by_system = [](const InquiryResponse& each) {
    return !IsAnswered(each) && !cancellation::IsUsers(each.reason.value_or(""));
  };
  if (std::ranges::any_of(responses, by_system)) return {};
  if (std::ranges::any_of(responses, cancelled_for(cancellation::kEndTurn))) {
    return {.kind = HookDecision::Kind::kDeny, .message = "The user cancelled the questions.", .end_turn = true};
  }
  if (std::ranges::none_of(responses, IsAnswered)) {
    return {.kind = HookDecision::Kind::kDeny, .message = "The user does not answer these questions."};
  }
  if (tool == AgentTool::kCodex) {
    return {.kind = HookDecision::Kind::kDeny, .message = AnswersAsReason(questions, responses)};
  }
  return {.kind = HookDecision::Kind::kAllow, .arguments = WithAnswers(arguments, questions, responses)};
}

}  // namespace turnlog
