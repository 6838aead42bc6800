#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/inquiry/form.h"

namespace turnlog {
namespace {

std::unexpected<Error> NotThisForm(const InquiryId& inquiry) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument,
                               fmt::format("inquiry {} does not follow from the form of its call", inquiry.text)});
}

InquiryAttempt Due(const FormWalk& walk, std::string_view call) {
  return {.tool_call = std::string(call),
          .question_id = walk.due().id,
          .source = {.kind = SourceKind::kAssistant, .name = {}, .extra = {}},
          .question = walk.Prompt(),
          .escalated_from = {}};
}

// Asks until the form has an end, a question waits, or one fails for a reason that is not the user's.
Result<FormOutcome> Walk(FormWalk walk, TurnRecorder& recorder, std::string_view call, const Responders& responders) {
  while (!walk.end()) {
    const Resolution resolution = TURNLOG_TRY(Inquire(recorder, Due(walk, call), Target{}, responders));
    if (resolution.kind == Resolution::Kind::kWaiting) return FormOutcome{};
    if (resolution.kind == Resolution::Kind::kAnswered) {
      walk.Answer(resolution.answer);
      continue;
    }
    walk.Cancel(resolution.reason);
    const bool by_user = walk.end() || resolution.reason == cancellation::kBack;
    if (!by_user) return FormOutcome{FormEnd::kCancelled, walk.Result().text()};
  }
  return FormOutcome{walk.end(), walk.Result().text()};
}

}  // namespace

Result<FormWalk> ReplayForm(const Form& form, std::span<const InquiryState* const> inquiries) {
  FormWalk walk(form);
  for (const InquiryState* exchange : inquiries) {
    const InquiryId& id = exchange->request.id;
    if (walk.end() || !id.key || id.key->question != walk.due().id) return NotThisForm(id);
    if (!exchange->response) break;
    const InquiryResponse& response = *exchange->response;
    if (response.outcome == Outcome::kRedacted) return NotThisForm(id);
    if (response.outcome == Outcome::kAnswered) walk.Answer(response.answer);
    if (response.outcome == Outcome::kCancelled) walk.Cancel(response.reason.value_or(""));
  }
  return walk;
}

Result<FormOutcome> RunForm(TurnRecorder& recorder, std::string_view call, const Responders& responders) {
  const TurnState state = recorder.state();
  const OpenCall* const open = state.FindCall(call);
  if (open == nullptr)
    return std::unexpected(Error{ErrorCode::kNotFound, fmt::format("there is no open call {}", call)});
  const auto form = ParseForm(open->request.arguments);
  if (!form) {
    const std::string problems = ToJson(form.error()).text();
    TURNLOG_TRY(recorder.FinishTool(call, {.content = problems, .is_error = true, .metadata = {}}));
    return FormOutcome{std::nullopt, problems};
  }
  FormWalk walk = TURNLOG_TRY(ReplayForm(*form, state.InquiriesOf(*open)));
  FormOutcome outcome = TURNLOG_TRY(Walk(std::move(walk), recorder, call, responders));
  if (outcome.end)
    TURNLOG_TRY(recorder.FinishTool(call, {.content = outcome.content, .is_error = false, .metadata = {}}));
  return outcome;
}

}  // namespace turnlog
