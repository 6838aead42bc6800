#include "migrate/opencode/tool_part.h"

#include <algorithm>
#include <utility>

#include "migrate/records/approval.h"
#include "migrate/records/user_question.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

using State = OpencodeTool::State;

// How the errors of calls begin that were refused, after the name of the error that some versions write first.
constexpr std::string_view kRejected = "The user rejected permission to use this";
constexpr std::string_view kFeedback = " with the following feedback: ";
constexpr std::string_view kRule = "The user has specified a rule which prevents you from using this";
constexpr std::string_view kDismissed = "The user dismissed this question";

std::string_view WithoutName(std::string_view error) {
  constexpr std::string_view kEnd = "Error: ";
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const std::size_t end = error.find(kEnd);
  const bool named = end != std::string_view::npos && std::ranges::all_of(error.substr(0, end), is_letter);
  return named ? error.substr(end + kEnd.size()) : error;
}

std::optional<Denial> DenialIn(std::string_view error) {
  if (error.starts_with(kRejected)) {
    const std::size_t at = error.find(kFeedback);
    if (at == std::string_view::npos) return DeniedByUser(std::nullopt);
    return DeniedByUser(std::string(error.substr(at + kFeedback.size())));
  }
  return error.starts_with(kRule) ? std::optional(DeniedByPolicy()) : std::nullopt;
}

}  // namespace

std::optional<OpencodeTool> ReadOpencodeTool(const JsonObject& part) {
  auto call = part.String("callID");
  auto name = part.String("tool");
  if (!call || !name) return std::nullopt;
  const JsonObject state = part.Object("state");
  const std::string status = state.String("status").value_or("");
  OpencodeTool tool{.call = *std::move(call), .name = *std::move(name), .input = state["input"]};
  if (status == "completed") tool.state = State::kDone;
  if (status == "error") tool.state = State::kFailed;
  const std::string_view result = state[status == "error" ? "error" : "output"];
  if (IsJsonString(result)) tool.result = result;
  tool.metadata = state.Object("metadata");
  return tool;
}

ToolCallResponse ReadOpencodeResult(const OpencodeTool& tool) {
  ToolCallResponse response{.id = tool.call, .content = UnescapeJson(tool.result)};
  response.is_error = tool.state == State::kFailed;
  if (response.is_error) response.denied = DenialIn(WithoutName(response.content));
  return response;
}

std::vector<InquiryRequest> ReadOpencodeQuestions(const OpencodeTool& tool) {
  if (tool.name != "question") return {};
  return ReadUserQuestions(tool.call, JsonObject::Parse(tool.input).value_or(JsonObject()));
}

InquiryResponse ReadOpencodeAnswer(const InquiryRequest& asked, std::size_t number, const OpencodeTool& tool) {
  if (tool.state == State::kFailed) {
    const std::string error = UnescapeJson(tool.result);
    const bool by_user = WithoutName(error).starts_with(kDismissed);
    return CancelledInquiry(asked, by_user ? "user" : "backend_error", by_user);
  }
  const std::vector<std::string_view> answers = ElementsOf(tool.metadata["answers"]);
  const auto given = number < answers.size() ? ElementsOf(answers[number]) : std::vector<std::string_view>();
  const bool texts = std::ranges::all_of(given, IsJsonString);
  if (given.empty() || !texts) return CancelledInquiry(asked, "unspecified", false);
  const bool one = given.size() == 1 && asked.question.answer_type.kind != AnswerKind::kMultiSelect;
  return AnsweredInquiry(asked, Json::FromTrusted(std::string(one ? given.front() : answers[number])), std::nullopt);
}

}  // namespace turnlog
