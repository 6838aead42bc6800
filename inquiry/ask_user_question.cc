#include "turnlog/inquiry/ask_user_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/try.h"
#include "inquiry/prompt_user.h"
#include "schema/json/json_writer.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/inquiry/cancellation.h"

namespace turnlog {
namespace {

constexpr std::string_view kCancelled = "User cancelled the question";
constexpr std::string_view kNotForSubAgents = "ask_user_question is not available to sub-agents";

std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

Result<std::vector<InquiryId>> Refuse(TurnRecorder& recorder, std::string_view call, std::string content) {
  TURNLOG_TRY(recorder.FinishTool(call, {.content = std::move(content), .is_error = true, .metadata = {}}));
  return std::vector<InquiryId>();
}

// The state of a turn in which the call is open.
Result<TurnState> StateWith(const TurnRecorder& recorder, std::string_view call) {
  TURNLOG_TRY(recorder.CheckOpen(call));
  TurnState state = recorder.state();
  if (state.FindCall(call) == nullptr) return std::unexpected(recorder.CheckOpen(call).error());
  return state;
}

bool IsCancelledFor(const InquiryState& inquiry, std::string_view reason) {
  return inquiry.response && inquiry.response->outcome == Outcome::kCancelled && inquiry.response->reason == reason;
}

// But for those of which others took the place.
std::vector<const InquiryState*> InquiriesOf(const TurnState& state, std::string_view call) {
  auto inquiries = state.InquiriesOf(*state.FindCall(call));
  std::erase_if(inquiries, [](const InquiryState* each) { return IsCancelledFor(*each, cancellation::kSuperseded); });
  return inquiries;
}

// What a question has come to, or will have when the closings are recorded.
struct Closed {
  std::string_view text;
  const Json* answer = nullptr;  // none: it was declined
  std::string_view note;
};

std::string ResultOf(std::span<const Closed> all) {
  std::string out;
  JsonWriter json(out);
  const auto answered = [](const Closed& closed) { return closed.answer != nullptr; };
  json.StartObject();
  json.Key("answers"), json.StartObject();
  for (const Closed& closed : all) {
    if (answered(closed)) json.Field(closed.text, JsonView::FromTrusted(closed.answer->text()));
  }
  json.EndObject();
  if (std::ranges::any_of(all, [](const Closed& closed) { return !closed.note.empty(); })) {
    json.Key("notes"), json.StartObject();
    for (const Closed& closed : all) {
      if (!closed.note.empty()) json.Field(closed.text, closed.note);
    }
    json.EndObject();
  }
  if (!std::ranges::all_of(all, answered)) {
    json.Key("declined"), json.StartArray();
    for (const Closed& closed : all) {
      if (!answered(closed)) json.String(closed.text);
    }
    json.EndArray();
  }
  json.EndObject();
  return out;
}

// REQUIRES: it has a response.
Closed ClosedAs(const InquiryState& inquiry) {
  const InquiryResponse& response = *inquiry.response;
  if (response.outcome != Outcome::kAnswered) return {.text = inquiry.request.question.text};
  return {inquiry.request.question.text, &response.answer, response.reason ? *response.reason : std::string_view()};
}

// All are closed. A question that the system cancelled makes it an error with the cause.
ToolResult SettledResult(const std::vector<const InquiryState*>& inquiries) {
  std::vector<Closed> closed;
  for (const InquiryState* inquiry : inquiries) {
    if (inquiry->response->outcome == Outcome::kCancelled && !cancellation::IsUsers(*inquiry->response->reason)) {
      return {fmt::format("The question was not answered: {}", *inquiry->response->reason), true, {}};
    }
    closed.push_back(ClosedAs(*inquiry));
  }
  return {ResultOf(closed), false, {}};
}

// What closes those that wait, for this reason.
std::vector<Closing> CancelWaiting(const std::vector<const InquiryState*>& inquiries, std::string_view reason,
                                   const std::optional<Responder>& by) {
  std::vector<Closing> closings;
  for (const InquiryState* inquiry : inquiries) {
    if (inquiry->response) continue;
    closings.push_back({inquiry->request.id.text, std::nullopt, std::string(reason), by});
  }
  return closings;
}

Status RecordCancelled(TurnRecorder& recorder, std::string_view call, const std::vector<const InquiryState*>& inquiries,
                       const std::optional<Responder>& by) {
  const ToolResult result{.content = std::string(kCancelled), .is_error = true, .metadata = {}};
  return recorder.CloseAll(CancelWaiting(inquiries, cancellation::kEndTurn, by), call, &result);
}

// The questions as they were asked before, if they were; those that wait and are others are closed.
Result<std::vector<InquiryId>> TakeUp(TurnRecorder& recorder, const std::vector<const InquiryState*>& inquiries,
                                      const std::vector<Question>& questions) {
  std::vector<InquiryId> ids;
  std::vector<Closing> others;
  for (const InquiryState* inquiry : inquiries) {
    const bool ours = std::ranges::any_of(
        questions, [&](const Question& question) { return SameQuestion(question, inquiry->request.question); });
    if (ours) ids.push_back(inquiry->request.id);
    if (!ours && !inquiry->response) {
      others.push_back({inquiry->request.id.text, std::nullopt, std::string(cancellation::kSuperseded)});
    }
  }
  TURNLOG_TRY(recorder.CloseAll(others));
  return ids;
}

}  // namespace

Result<std::vector<InquiryId>> AskUserQuestion(TurnRecorder& recorder, std::string_view call, AgentKind agent) {
  const TurnState state = TURNLOG_TRY(StateWith(recorder, call));
  if (agent == AgentKind::kSubAgent) return Refuse(recorder, call, std::string(kNotForSubAgents));
  const auto questions = ParseUserQuestions(state.FindCall(call)->request.arguments);
  if (!questions) return Refuse(recorder, call, ToJson(questions.error()).text());
  std::vector<InquiryId> asked = TURNLOG_TRY(TakeUp(recorder, InquiriesOf(state, call), *questions));
  if (!asked.empty()) return asked;
  std::vector<InquiryAttempt> attempts;
  for (const Question& question : *questions) {
    const InquirySource source{.kind = SourceKind::kAssistant, .name = {}, .extra = {}};
    attempts.push_back({std::string(call), fmt::format("q{}", attempts.size() + 1), source, question, {}});
  }
  asked = TURNLOG_TRY(recorder.AskAll(attempts));
  for (const InquiryId& id : asked) recorder.Defer(id.text);
  return asked;
}

Status AnswerUserQuestion(TurnRecorder& recorder, std::string_view call,
                          const std::map<std::string, QuestionAnswer>& answers, const Responder& user) {
  const TurnState state = TURNLOG_TRY(StateWith(recorder, call));
  std::vector<Closing> closings;
  std::vector<Closed> closed;
  for (const InquiryState* inquiry : InquiriesOf(state, call)) {
    const std::string& id = inquiry->request.id.text;
    const auto given = answers.find(inquiry->request.question.text);
    if (inquiry->response) {
      closed.push_back(ClosedAs(*inquiry));
    } else if (given == answers.end()) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("inquiry {} has no answer", id));
    } else {
      const auto& [answer, note] = given->second;
      const auto reason = note.empty() ? std::nullopt : std::optional(note);
      closings.push_back({id, GivenAnswer{answer, user, reason, false}, {}});
      closed.push_back({given->first, &answer, note});
    }
  }
  if (closings.size() != answers.size()) {
    return Fail(ErrorCode::kInvalidArgument, "there is an answer to a question that does not wait");
  }
  const ToolResult result{.content = ResultOf(closed), .is_error = false, .metadata = {}};
  return recorder.CloseAll(closings, call, &result);
}

Status DeclineUserQuestion(TurnRecorder& recorder, std::string_view call, const Responder& user) {
  const TurnState state = TURNLOG_TRY(StateWith(recorder, call));
  const auto inquiries = InquiriesOf(state, call);
  std::vector<Closed> closed;
  for (const InquiryState* inquiry : inquiries) {
    closed.push_back(inquiry->response ? ClosedAs(*inquiry) : Closed{.text = inquiry->request.question.text});
  }
  const ToolResult result{.content = ResultOf(closed), .is_error = false, .metadata = {}};
  return recorder.CloseAll(CancelWaiting(inquiries, cancellation::kUser, user), call, &result);
}

Status CancelUserQuestion(TurnRecorder& recorder, std::string_view call, const Responder& user) {
  const TurnState state = TURNLOG_TRY(StateWith(recorder, call));
  return RecordCancelled(recorder, call, InquiriesOf(state, call), user);
}

Result<bool> AskUserQuestion(TurnRecorder& recorder, std::string_view call, AgentKind agent,
                             const Responders& responders) {
  const std::vector<InquiryId> asked = TURNLOG_TRY(AskUserQuestion(recorder, call, agent));
  if (asked.empty()) return true;
  for (const InquiryId& id : asked) {
    const TurnState state = recorder.state();
    const InquiryState* const waiting = state.FindQuestion(id.text);
    if (waiting == nullptr) continue;
    if (!responders.user) return false;
    const Resolution resolution = TURNLOG_TRY(PromptUser(recorder, waiting->request, responders));
    if (resolution.kind == Resolution::Kind::kWaiting) return false;
    if (resolution.reason == cancellation::kEndTurn) break;
  }
  return SettleUserQuestion(recorder, call);
}

Result<bool> SettleUserQuestion(TurnRecorder& recorder, std::string_view call) {
  TURNLOG_TRY(recorder.Refresh());
  const Status open = recorder.CheckOpen(call);
  if (!open && open.error().code == ErrorCode::kConflict) return true;
  const TurnState state = TURNLOG_TRY(StateWith(recorder, call));
  const auto inquiries = InquiriesOf(state, call);
  for (const InquiryState* inquiry : inquiries) {
    if (!IsCancelledFor(*inquiry, cancellation::kEndTurn)) continue;
    TURNLOG_TRY(RecordCancelled(recorder, call, inquiries, inquiry->response->responder));
    return true;
  }
  const bool waits = std::ranges::any_of(inquiries, [](const InquiryState* inquiry) { return !inquiry->response; });
  if (waits || inquiries.empty()) return false;
  TURNLOG_TRY(recorder.FinishTool(call, SettledResult(inquiries)));
  return true;
}

}  // namespace turnlog
