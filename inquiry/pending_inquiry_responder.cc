#include "turnlog/inquiry/pending_inquiry_responder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.h"
#include "inquiry/prompt_user.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/ask_user.h"
#include "turnlog/inquiry/ask_user_question.h"
#include "turnlog/inquiry/prompt_text.h"

namespace turnlog {
namespace {

Status StatusOf(const auto& result) { return result ? Status() : std::unexpected(result.error()); }

// Whether AskUser would ask just this: the question says that it is of a form, and it is the one that is due there.
bool IsDueInForm(const TurnState& state, const OpenCall& call, const InquiryState& inquiry) {
  if (!FindFormProgress(inquiry.request.question)) return false;
  const auto form = ParseForm(call.request.arguments);
  if (!form) return false;
  const auto inquiries = state.InquiriesOf(call);
  const auto walk = ReplayForm(*form, inquiries);
  return walk && !walk->end() && inquiries.back() == &inquiry && SameQuestion(walk->Prompt(), inquiry.request.question);
}

// Whether AskUserQuestion has asked what the call has asked.
bool IsUserQuestion(const TurnState& state, const OpenCall& call) {
  const auto questions = ParseUserQuestions(call.request.arguments);
  const auto question_of = [](const InquiryState* inquiry) { return inquiry->request.question; };
  return questions && std::ranges::equal(*questions, state.InquiriesOf(call), SameQuestion, {}, question_of);
}

}  // namespace

Result<PendingInquiryResponder> PendingInquiryResponder::Open(Log& log, const ConversationId& conversation,
                                                              RecorderOptions options) {
  return PendingInquiryResponder(TURNLOG_TRY(TurnRecorder::Resume(log, conversation, std::move(options))));
}

PendingInquiryResponder::~PendingInquiryResponder() {
  if (recorder_) recorder_->Suspend();
}

Status PendingInquiryResponder::Respond(std::string_view inquiry, const Responders& user) {
  TURNLOG_TRY(recorder_->CheckWaits(inquiry));
  const TurnState state = recorder_->state();
  const InquiryState* const waiting = state.FindQuestion(inquiry);
  if (waiting == nullptr) return recorder_->CheckWaits(inquiry);
  const OpenCall* const call = state.CallOf(*waiting);
  if (call != nullptr && IsDueInForm(state, *call, *waiting)) {
    return StatusOf(AskUser(*recorder_, call->request.id, user));
  }
  if (const OpenCall* const approved = CallToApprove(state, *waiting)) {
    return StatusOf(Approve(*recorder_, approved->request.id, user));
  }
  TURNLOG_TRY(StatusOf(PromptUser(*recorder_, waiting->request, user)));
  if (call == nullptr || !IsUserQuestion(state, *call)) return {};
  return StatusOf(SettleUserQuestion(*recorder_, call->request.id));
}

}  // namespace turnlog
