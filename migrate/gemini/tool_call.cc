#include "migrate/gemini/tool_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
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
constexpr std::string_view kCancelled = "[Operation Cancelled] ", kReason = "Reason: ";
constexpr std::string_view kPolicy = "Tool execution denied by policy.";
// The reason that Gemini CLI writes when the user gave none.
constexpr std::array<std::string_view, 2> kNoReason{"User did not allow tool call", "User denied execution."};
// What it writes when the user stopped all that was going on, or refused another call.
constexpr std::array<std::string_view, 4> kStopped{"Operation cancelled", "Tool call cancelled by user",
                                                   "User cancelled the operation", "User cancelled operation"};
// And of a call that was running.
constexpr std::array<std::string_view, 2> kEnded{"User cancelled tool execution", "Command was cancelled by user"};

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

// What it says after its lead, or the whole text.
std::string_view WhyCancelled(std::string_view content) {
  if (!content.starts_with(kCancelled)) return content;
  content.remove_prefix(kCancelled.size());
  return content.starts_with(kReason) ? content.substr(kReason.size()) : content;
}

bool BeginsWithOneOf(std::string_view text, std::span<const std::string_view> leads) {
  return std::ranges::any_of(leads, [&](std::string_view lead) { return text.starts_with(lead); });
}

std::optional<std::string> ReasonIn(std::string_view content) {
  const std::string_view reason = WhyCancelled(content);
  if (reason.size() == content.size() || BeginsWithOneOf(reason, kNoReason)) return std::nullopt;
  return std::string(reason);
}

std::optional<std::string> ReasonOfPolicy(std::string_view content) {
  content.remove_prefix(std::min(content.find_first_not_of(' ', kPolicy.size()), content.size()));
  return content.empty() ? std::nullopt : std::optional(std::string(content));
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
  const std::string_view why = WhyCancelled(response.content);
  result.stopped = call.state == State::kCancelled && (BeginsWithOneOf(why, kStopped) || BeginsWithOneOf(why, kEnded));
  if (call.state == State::kCancelled && !result.stopped) response.denied = DeniedByUser(ReasonIn(response.content));
  const bool refused = call.state == State::kFailed && response.content.starts_with(kPolicy);
  if (refused) response.denied = DeniedByPolicy(ReasonOfPolicy(response.content));
  return result;
}

std::vector<InquiryRequest> ReadGeminiQuestions(const GeminiCall& call) {
  if (call.name != "ask_user") return {};
  return ReadUserQuestions(call.id, JsonObject::Parse(call.arguments).value_or(JsonObject()));
}

InquiryResponse ReadGeminiAnswer(const InquiryRequest& asked, std::size_t number, const GeminiResult& result) {
  const ToolCallResponse& response = result.response;
  const JsonObject output = JsonObject::Parse(response.content).value_or(JsonObject());
  const auto answer = output.Object("answers").String(fmt::format("{}", number));
  if (answer) return AnsweredInquiry(asked, ToAnswer(asked, *answer), std::nullopt);
  if (result.stopped) return CancelledInquiry(asked, "interrupted", false);
  return CancelledInquiry(asked, response.is_error && !response.denied ? "backend_error" : "user",
                          !response.is_error || response.denied);
}

// A call that was ended while it ran had been approved.
InquiryResponse ReadGeminiApproval(const InquiryRequest& asked, const GeminiCall& call, const GeminiResult& result) {
  const auto& denied = result.response.denied;
  if (denied) return ApprovalAnswer(asked, call.state != State::kCancelled, denied->reason);
  if (BeginsWithOneOf(WhyCancelled(result.response.content), kStopped) && result.stopped) {
    return CancelledInquiry(asked, "interrupted", false);
  }
  return ApprovalAnswer(asked, true, std::nullopt);
}

}  // namespace turnlog
