#include "turnlog/inquiry/ask_user.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "inquiry/ask_question.h"
#include "schema/json/json_writer.h"
#include "turnlog/inquiry/cancellation.h"

namespace turnlog {
namespace {

using Kind = FormOutcome::Kind;

InquiryAttempt Due(const FormWalk& walk, std::string_view call) {
  return {.tool_call = std::string(call),
          .question_id = walk.due().id,
          .source = {.kind = SourceKind::kAssistant, .name = {}, .extra = {}},
          .question = walk.Prompt(),
          .escalated_from = {}};
}

Kind KindOf(FormEnd end) {
  switch (end) {
    case FormEnd::kDone:
      return Kind::kDone;
    case FormEnd::kReplied:
      return Kind::kReplied;
    case FormEnd::kTurnEnded:
      return Kind::kTurnEnded;
    case FormEnd::kDeclined:
      return Kind::kDeclined;
  }
  return Kind::kStopped;
}

std::string Stopped(const FormWalk& walk, std::string_view cause) {
  std::string out;
  JsonWriter json(out);
  json.StartObject();
  json.Field("error", "form_stopped");
  json.Field("cause", cause);
  json.Field("question", walk.due().id);
  json.Field("answered", JsonView::FromTrusted(walk.Answered().text()));
  json.EndObject();
  return out;
}

// Asks until the form has an end, a question waits, or one fails for a reason that is not the user's.
Result<FormOutcome> AskForm(FormWalk walk, TurnRecorder& recorder, std::string_view call,
                            const Responders& responders) {
  while (!walk.end()) {
    const Resolution resolution = TURNLOG_TRY(AskQuestion(recorder, Due(walk, call), Target{}, responders));
    switch (resolution.kind) {
      case Resolution::Kind::kWaiting:
        return FormOutcome{};
      case Resolution::Kind::kAnswered:
        walk.Answer(resolution.answer, resolution.note);
        break;
      case Resolution::Kind::kCancelled:
        if (!cancellation::IsUsers(resolution.reason)) {
          return FormOutcome{Kind::kStopped, Stopped(walk, resolution.reason)};
        }
        walk.Cancel(resolution.reason);
    }
  }
  return FormOutcome{KindOf(*walk.end()), walk.Result().text()};
}

Result<FormOutcome> Finish(TurnRecorder& recorder, std::string_view call, FormOutcome outcome) {
  if (outcome.kind == Kind::kWaits) return outcome;
  const bool failed = outcome.kind == Kind::kWrong || outcome.kind == Kind::kStopped;
  TURNLOG_TRY(recorder.FinishTool(call, {.content = outcome.content, .is_error = failed, .metadata = {}}));
  return outcome;
}

}  // namespace

Result<FormOutcome> AskUser(TurnRecorder& recorder, std::string_view call, const Responders& responders) {
  TURNLOG_TRY(recorder.CheckOpen(call));
  const TurnState state = recorder.state();
  const OpenCall* const open = state.FindCall(call);
  if (open == nullptr) return std::unexpected(recorder.CheckOpen(call).error());
  const auto form = ParseForm(open->request.arguments);
  if (!form) return Finish(recorder, call, {Kind::kWrong, ToJson(form.error()).text()});
  FormWalk walk = TURNLOG_TRY(ReplayForm(*form, state.InquiriesOf(*open)));
  return Finish(recorder, call, TURNLOG_TRY(AskForm(std::move(walk), recorder, call, responders)));
}

}  // namespace turnlog
