#include "hooks/asked_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.h"
#include "hooks/tool_questions.h"
#include "schema/json/json_layout.h"
#include "turnlog/edited_arguments.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/ask_user_question.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/service/wait_for_answer.h"

namespace turnlog {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How often to check whether the tool still runs.
constexpr milliseconds kLook{15'000};

HookDecision Allow() { return {.kind = HookDecision::Kind::kAllow}; }

HookDecision Deny(std::string message, bool end_turn = false) {
  return {.kind = HookDecision::Kind::kDeny, .message = std::move(message), .end_turn = end_turn};
}

// The question waits for its user, whatever becomes of this process.
Result<PromptReply> Defer(const InquiryRequest&, std::string_view) { return PromptReply{}; }

bool IsCancelledFor(const InquiryResponse& response, std::string_view reason) {
  return response.outcome == Outcome::kCancelled && response.reason == reason;
}

// Not by a model, and not at the tool's own prompt, where its answer holds already, perhaps for another call.
bool IsByPerson(const InquiryResponse& response) {
  return response.responder && response.responder->kind == "user" && response.responder->via != kViaHook;
}

// The turn is over, or the event was erased: as if the question had been closed by the next turn.
InquiryResponse NoResponse() { return {Outcome::kCancelled, {}, {}, std::string(cancellation::kSuperseded), {}}; }

// The call was finished otherwise: by its result, which another hook has recorded.
bool IsOpen(const TurnRecorder& recorder, const std::string& call) { return recorder.CheckOpen(call).has_value(); }

}  // namespace

AskedCall::AskedCall(SessionTurn& turn, const AgentHookOptions& options, ToolCallRequest call)
    : turn_(turn), options_(options), call_(std::move(call)) {}

Status AskedCall::RecordRequest(TurnRecorder& recorder) const {
  return IsOpen(recorder, call_.id) ? Status() : recorder.RequestTool(call_);
}

// --- Waiting ---

void AskedCall::WaitFor(std::vector<std::string> inquiries) {
  const std::scoped_lock lock(mutex_);
  inquiries_ = std::move(inquiries);
}

Result<std::optional<InquiryResponse>> AskedCall::AwaitOne(const std::string& inquiry, steady_clock::time_point end) {
  while (!abandoned_) {
    const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now());
    const WaitOptions wait{.timeout = std::clamp(left, milliseconds(0), kLook)};
    const WaitedAnswer answer = TURNLOG_TRY(WaitForAnswer(turn_.log(), turn_.conversation(), inquiry, wait));
    if (answer.state != WaitedAnswer::State::kWaiting) {
      return answer.response ? std::get<InquiryResponse>(answer.response->body) : NoResponse();
    }
    if (options_.orphaned && options_.orphaned()) abandoned_ = true;
    if (left <= wait.timeout) break;
  }
  return std::nullopt;
}

Result<AskedCall::Responses> AskedCall::Await() {
  const auto end = steady_clock::now() + options_.timeout;
  Responses all;
  for (const std::string& inquiry : inquiries_) {
    auto closed = TURNLOG_TRY(AwaitOne(inquiry, end));
    if (!closed) break;
    all.push_back(*std::move(closed));
    if (IsCancelledFor(all.back(), cancellation::kEndTurn)) break;
  }
  return all;
}

void AskedCall::Abandon() {
  abandoned_ = true;
  const std::scoped_lock lock(mutex_);
  if (inquiries_.empty()) return;
  (void)turn_.WriteIfBegun(
      [&](TurnRecorder& recorder) { return recorder.CloseAll(WaitingClosings(recorder, cancellation::kInterrupted)); });
}

std::vector<Closing> AskedCall::WaitingClosings(const TurnRecorder& recorder, std::string_view reason) {
  std::vector<Closing> closings;
  for (const std::string& inquiry : inquiries_) {
    if (recorder.CheckWaits(inquiry)) closings.push_back({inquiry, std::nullopt, std::string(reason)});
  }
  return closings;
}

Status AskedCall::CloseUnanswered(TurnRecorder& recorder, const ToolResult* denial, bool& waited) {
  const auto closings = WaitingClosings(recorder, abandoned_ ? cancellation::kInterrupted : cancellation::kExpired);
  waited = !closings.empty();
  if (denial == nullptr || !waited || !IsOpen(recorder, call_.id)) return recorder.CloseAll(closings);
  return recorder.CloseAll(closings, call_.id, denial);
}

Result<std::optional<HookDecision>> AskedCall::GiveUp() {
  const bool deny = options_.on_timeout == AgentHookOptions::OnTimeout::kDeny && !abandoned_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.timeout).count();
  const ToolResult denial{fmt::format("The user has not answered within {} s.", seconds), true, {}};
  bool waited = false;
  TURNLOG_TRY(turn_.WriteIfBegun(
      [&](TurnRecorder& recorder) { return CloseUnanswered(recorder, deny ? &denial : nullptr, waited); }));
  if (!waited && !abandoned_) return std::nullopt;
  return deny ? Deny(denial.content) : HookDecision{};
}

// --- Approval ---

Result<HookDecision> AskedCall::Approve() {
  Result<Approval> approval;
  TURNLOG_TRY(turn_.Write([&](TurnRecorder& recorder) -> Status {
    if (const Status recorded = RecordRequest(recorder); !recorded) return recorded;
    approval = turnlog::Approve(recorder, call_.id, {.user = Defer});
    return approval ? Status() : std::unexpected(approval.error());
  }));
  if (approval->kind == Approval::Kind::kApproved) return Allow();
  if (approval->kind == Approval::Kind::kDenied) return Deny("The user has denied such calls.");
  WaitFor({approval->inquiry.text});
  for (;;) {
    const auto closed = TURNLOG_TRY(Await());
    if (!closed.empty()) return Decide(closed.front());
    if (auto given_up = TURNLOG_TRY(GiveUp())) return *std::move(given_up);
  }
}

Result<HookDecision> AskedCall::Decide(const InquiryResponse& response) {
  const bool answered = response.outcome == Outcome::kAnswered;
  if (answered && !IsByPerson(response)) return HookDecision{};
  if (answered && response.answer.text() == "true") return Allow();
  const Json edited = answered ? TURNLOG_TRY(FindEdited(response)) : Json();
  if (!edited.empty()) return RunEdited(edited, response);
  const bool end_turn = IsCancelledFor(response, cancellation::kEndTurn);
  if (!answered && !end_turn && !IsCancelledFor(response, cancellation::kUser)) return HookDecision{};
  TURNLOG_TRY(RecordDenial(response));
  return Deny(answered && response.reason ? fmt::format("The user denied this call: {}", *response.reason)
                                          : std::string("The user denied this call."),
              end_turn);
}

Result<Json> AskedCall::FindEdited(const InquiryResponse& response) {
  Json edited;
  TURNLOG_TRY(turn_.WriteIfBegun([&](TurnRecorder& recorder) -> Status {
    edited = recorder.FindEditedArguments(response.id.text);
    return {};
  }));
  return edited;
}

// Codex takes no arguments from a hook: its model is told them, and a call with just these is let run.
Result<HookDecision> AskedCall::RunEdited(const Json& arguments, const InquiryResponse& response) {
  if (options_.tool == AgentTool::kClaudeCode) {
    return HookDecision{.kind = HookDecision::Kind::kAllow, .arguments = arguments};
  }
  std::string compact;
  AppendCompact(arguments.text(), compact);
  const std::string message = fmt::format(
      "The user wants this call to have other arguments. Make it again with exactly these, which are approved: {}",
      compact);
  const PermissionKey key{call_.name, ArgumentsHash(call_.name, Json::FromTrusted(compact))};
  const Responder by = response.responder.value_or(Responder{"user", {}, {}, {}, {}});
  const ToolResult result{message, true, {}};
  const Status recorded = turn_.WriteIfBegun([&](TurnRecorder& recorder) -> Status {
    if (!IsOpen(recorder, call_.id)) return {};
    TURNLOG_TRY(recorder.RememberPermission(key, Permission::kAllow, by, response.reason));
    return recorder.FinishTool(call_.id, result);
  });
  if (!recorded) return std::unexpected(recorded.error());
  return Deny(message);
}

// Unless who answered has recorded it.
Status AskedCall::RecordDenial(const InquiryResponse& response) {
  const Responder by = response.responder.value_or(Responder{"user", {}, {}, {}, {}});
  const auto note = response.outcome == Outcome::kAnswered ? response.reason : std::nullopt;
  return turn_.WriteIfBegun([&](TurnRecorder& recorder) {
    return IsOpen(recorder, call_.id) ? recorder.DenyTool(call_.id, note, by) : Status();
  });
}

// --- Questions ---

Status AskedCall::RecordQuestions(TurnRecorder& recorder, const std::vector<Question>& questions) {
  TURNLOG_TRY(RecordRequest(recorder));
  std::vector<InquiryAttempt> attempts;
  for (const Question& question : questions) {
    const InquirySource source{.kind = SourceKind::kAssistant, .name = {}, .extra = {}};
    attempts.push_back({call_.id, fmt::format("q{}", attempts.size() + 1), source, question, {}});
  }
  const auto asked = TURNLOG_TRY(recorder.AskAll(attempts));
  std::vector<std::string> inquiries;
  for (const InquiryId& id : asked) inquiries.push_back(id.text);
  WaitFor(std::move(inquiries));
  return {};
}

Status AskedCall::Settle() {
  return turn_.WriteIfBegun([&](TurnRecorder& recorder) -> Status {
    if (!IsOpen(recorder, call_.id)) return {};
    const auto settled = SettleUserQuestion(recorder, call_.id);
    return settled ? Status() : std::unexpected(settled.error());
  });
}

Result<HookDecision> AskedCall::Ask(const std::vector<Question>& questions) {
  TURNLOG_TRY(turn_.Write([&](TurnRecorder& recorder) { return RecordQuestions(recorder, questions); }));
  for (;;) {
    const Responses responses = TURNLOG_TRY(Await());
    const bool ended = !responses.empty() && IsCancelledFor(responses.back(), cancellation::kEndTurn);
    if (ended || responses.size() == questions.size()) {
      TURNLOG_TRY(Settle());
      return DecideQuestions(options_.tool, call_.arguments, questions, responses);
    }
    if (auto given_up = TURNLOG_TRY(GiveUp())) return *std::move(given_up);
  }
}

}  // namespace turnlog
