#include "inquiry/prompt_user.h"

#include <utility>

#include "base/try.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/inquiry/cancellation.h"

namespace turnlog {
namespace {

Result<Resolution> Cancel(TurnRecorder& recorder, const InquiryId& inquiry, std::string_view reason) {
  TURNLOG_TRY(recorder.Cancel(inquiry.text, reason));
  return Resolution{Resolution::Kind::kCancelled, inquiry, {}, {}, std::string(reason)};
}

Result<Resolution> Answer(TurnRecorder& recorder, const InquiryId& inquiry, const PromptReply& reply) {
  GivenAnswer given{reply.answer, {"user", {}, {}, {}, {}}, {}, reply.remember};
  TURNLOG_TRY(recorder.Answer(inquiry.text, given));
  return Resolution{Resolution::Kind::kAnswered, inquiry, std::move(given.answer), std::move(given.responder), {}};
}

}  // namespace

Result<Resolution> PromptUser(TurnRecorder& recorder, const InquiryRequest& inquiry, const Prompter& user) {
  std::string problem;
  for (;;) {
    const Result<PromptReply> reply = user(inquiry, problem);
    if (!reply) return Cancel(recorder, inquiry.id, cancellation::kBackendError);
    if (reply->kind == PromptReply::Kind::kDeferred) return Resolution{.inquiry = inquiry.id};
    if (reply->kind == PromptReply::Kind::kCancel) return Cancel(recorder, inquiry.id, reply->reason);
    const Status fits = CheckAnswer(inquiry.question.answer_type, reply->answer);
    if (fits) return Answer(recorder, inquiry.id, *reply);
    problem = fits.error().message;
  }
}

}  // namespace turnlog
