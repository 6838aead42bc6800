#include "turnlog/inquiry/pending_inquiry_responder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.h"
#include "inquiry/prompt_user.h"
#include "turnlog/inquiry/ask_user.h"
#include "turnlog/inquiry/form.h"

namespace turnlog {
namespace {

// The open call that asked it, null if there is none.
const OpenCall* CallOf(const TurnState& state, const InquiryState& exchange) {
  const auto& key = exchange.request.id.key;
  const OpenCall* const call = key ? state.FindCall(key->tool_call) : nullptr;
  if (call == nullptr) return nullptr;
  return std::ranges::find(call->asked, exchange.asked.value) == call->asked.end() ? nullptr : call;
}

// Whether RunForm would ask just this: the question says that it is of a form, and it is the one that is due there.
bool IsDueInForm(const TurnState& state, const OpenCall& call, const InquiryState& exchange) {
  if (!FindFormPlace(exchange.request.question)) return false;
  const auto form = ParseForm(call.request.arguments);
  if (!form) return false;
  const auto inquiries = state.InquiriesOf(call);
  const auto walk = ReplayForm(*form, inquiries);
  return walk && !walk->end() && inquiries.back() == &exchange && walk->Prompt().text == exchange.request.question.text;
}

// Whether AskUser has asked what the call has asked.
bool IsAskedOfUser(const TurnState& state, const OpenCall& call) {
  const auto questions = ParseUserQuestions(call.request.arguments);
  const auto text_of = [](const InquiryState* exchange) { return exchange->request.question.text; };
  return questions && std::ranges::equal(*questions, state.InquiriesOf(call), {}, &Question::text, text_of);
}

}  // namespace

Result<PendingInquiryResponder> PendingInquiryResponder::Open(Log& log, const ConversationId& conversation,
                                                              RecorderOptions options) {
  return PendingInquiryResponder(TURNLOG_TRY(TurnRecorder::Resume(log, conversation, std::move(options))));
}

PendingInquiryResponder::~PendingInquiryResponder() {
  if (recorder_) recorder_->Suspend();
}

Status PendingInquiryResponder::Attend(std::string_view inquiry, const Prompter& user) {
  TURNLOG_TRY(recorder_->CheckWaits(inquiry));
  const TurnState state = recorder_->state();
  const InquiryState& exchange = *state.FindQuestion(inquiry);
  const OpenCall* const call = CallOf(state, exchange);
  if (call != nullptr && IsDueInForm(state, *call, exchange)) {
    static_cast<void>(TURNLOG_TRY(RunForm(*recorder_, call->request.id, {.user = user, .assistant = {}, .model = {}})));
    return {};
  }
  static_cast<void>(TURNLOG_TRY(PromptUser(*recorder_, exchange.request, user)));
  if (call != nullptr && IsAskedOfUser(state, *call)) {
    static_cast<void>(TURNLOG_TRY(SettleUser(*recorder_, call->request.id)));
  }
  return {};
}

}  // namespace turnlog
