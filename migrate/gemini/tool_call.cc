#include "migrate/gemini/tool_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "migrate/records/approval.h"
#include "migrate/records/user_question.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

using State = GeminiCall::State;

constexpr std::array<std::pair<std::string_view, State>, 6> kStates{{{"awaiting_approval", State::kAsked},
                                                                     {"scheduled", State::kRunning},
                                                                     {"executing", State::kRunning},
                                                                     {"success", State::kDone},
                                                                     {"error", State::kFailed},
                                                                     {"cancelled", State::kCancelled}}};

// How the results of calls begin that were not run.
constexpr std::string_view kCancelled = "[Operation Cancelled] Reason: ";
constexpr std::string_view kPolicy = "Tool execution denied by policy.";
// The reason that Gemini CLI writes when the user gave none.
constexpr std::array<std::string_view, 2> kNoReason{"User did not allow tool call", "User cancelled the operation."};

State StateOf(const JsonObject& call) {
  const std::string text = call.String("status").value_or("success");
  const auto found = std::ranges::find(kStates, text, &std::pair<std::string_view, State>::first);
  return found == kStates.end() ? State::kCalled : found->second;
}

// The one text of a result: a string, or what the only function response has as output or error.
std::string_view TokenOf(std::string_view result) {
  if (IsJsonString(result)) return result;
  const std::vector<std::string_view> parts = ElementsOf(result);
  if (parts.size() != 1) return {};
  const JsonObject part = JsonObject::Parse(parts.front()).value_or(JsonObject());
  const JsonObject response = part.Object("functionResponse").Object("response");
  for (const std::string_view token : {response["output"], response["error"], part["text"]}) {
    if (IsJsonString(token)) return token;
  }
  return {};
}

std::optional<std::string> ReasonIn(std::string_view content) {
  if (!content.starts_with(kCancelled)) return std::nullopt;
  content.remove_prefix(kCancelled.size());
  const bool given = std::ranges::none_of(kNoReason, [&](std::string_view text) { return content.starts_with(text); });
  return given ? std::optional(std::string(content)) : std::nullopt;
}

Denial DeniedByPolicy(std::string_view content) {
  Denial denial;
  content.remove_prefix(std::min(content.find_first_not_of(' ', kPolicy.size()), content.size()));
  if (!content.empty()) denial.reason = content;
  denial.responder = Responder{.kind = "policy", .model = {}, .who = {}, .via = {}, .extra = {}};
  return denial;
}

// Several labels come as one text.
Json ToAnswer(const InquiryRequest& asked, const std::string& text) {
  if (asked.question.answer_type.kind != AnswerKind::kMultiSelect) return JsonString(text);
  std::string list;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view label = rest.substr(0, rest.find(", "));
    if (!IsOption(asked.question, label)) return JsonString(text);
    list += (list.empty() ? "[" : ",") + JsonString(label).text();
    rest.remove_prefix(std::min(label.size() + 2, rest.size()));
  }
  return Json::FromTrusted(list.empty() ? "[]" : list + "]");
}

}  // namespace

std::optional<GeminiCall> ReadGeminiCall(const JsonObject& call) {
  auto name = call.String("name");
  if (!name) return std::nullopt;
  const std::string_view result = call["result"] == "null" ? std::string_view() : call["result"];
  return GeminiCall{.id = call.String("id").value_or(""),
                    .name = *std::move(name),
                    .arguments = call["args"],
                    .result = result,
                    .signature = IsJsonString(call["thoughtSignature"]) ? call["thoughtSignature"] : std::string_view(),
                    .state = StateOf(call)};
}

GeminiResult ReadGeminiResult(const GeminiCall& call) {
  GeminiResult result{.response = {.id = call.id}, .token = TokenOf(call.result)};
  ToolCallResponse& response = result.response;
  response.content = result.token.empty() ? std::string(call.result) : UnescapeJson(result.token);
  response.is_error = call.state != State::kDone;
  if (call.state == State::kCancelled) response.denied = DeniedByUser(ReasonIn(response.content));
  const bool refused = call.state == State::kFailed && response.content.starts_with(kPolicy);
  if (refused) response.denied = DeniedByPolicy(response.content);
  return result;
}

std::vector<InquiryRequest> ReadGeminiQuestions(const GeminiCall& call) {
  if (call.name != "ask_user") return {};
  return ReadUserQuestions(call.id, JsonObject::Parse(call.arguments).value_or(JsonObject()));
}

InquiryResponse ReadGeminiAnswer(const InquiryRequest& asked, std::size_t number, const ToolCallResponse& result) {
  const JsonObject output = JsonObject::Parse(result.content).value_or(JsonObject());
  const auto answer = output.Object("answers").String(fmt::format("{}", number));
  if (answer) return AnsweredInquiry(asked, ToAnswer(asked, *answer), std::nullopt);
  return CancelledInquiry(asked, result.is_error && !result.denied ? "backend_error" : "user",
                          !result.is_error || result.denied);
}

}  // namespace turnlog
