#include "inquiry/prompt_user.h"

#include <utility>

#include "base/try.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/inquiry/prompt_text.h"

namespace turnlog {
namespace {

std::optional<std::string> Named(const std::string& name) { return name.empty() ? std::nullopt : std::optional(name); }

Result<Resolution> Cancel(TurnRecorder& recorder, const InquiryId& inquiry, const Responder& user,
                          const PromptReply& reply) {
  const std::string reason(reply.reason.empty() ? cancellation::kUser : reply.reason);
  TURNLOG_TRY(recorder.Cancel(inquiry.text, reason, user));
  return Resolution{Resolution::Kind::kCancelled, inquiry, {}, user, reason, {}};
}

Result<Resolution> Answer(TurnRecorder& recorder, const InquiryRequest& inquiry, const Responder& user,
                          const PromptReply& reply) {
  GivenAnswer given{CanonicalAnswer(inquiry.question.answer_type, reply.answer), user, Named(reply.note),
                    reply.remember};
  TURNLOG_TRY(recorder.Answer(inquiry.id.text, given));
  return Resolution{Resolution::Kind::kAnswered, inquiry.id, std::move(given.answer), user, {},
                    std::move(given.reason)};
}

// Back from what is the first question of its form, or of none.
bool GoesNowhere(const Question& question, const PromptReply& reply) {
  if (reply.kind != PromptReply::Kind::kCancel || reply.reason != cancellation::kBack) return false;
  const auto progress = FindFormProgress(question);
  return !progress || progress->question <= 1;
}

Status CheckReply(const Question& question, const PromptReply& reply, const ToolCallRequest* call) {
  if (reply.edited_arguments.empty()) return CheckAnswer(question.answer_type, reply.answer);
  return CheckEditedArguments(call, reply.edited_arguments);
}

}  // namespace

Responder UserOf(const Responders& responders, const PromptReply& reply) {
  return {"user",
          {},
          reply.who.empty() ? responders.who : Named(reply.who),
          reply.via.empty() ? responders.via : Named(reply.via),
          {}};
}

Result<std::optional<PromptReply>> PromptUntilItFits(TurnRecorder& recorder, const InquiryRequest& inquiry,
                                                     const Responders& responders, const ToolCallRequest* call) {
  for (std::string problem;;) {
    Result<PromptReply> reply = responders.user(inquiry, problem);
    if (!reply || reply->kind == PromptReply::Kind::kDeferred) recorder.Defer(inquiry.id.text);
    if (!reply) return std::unexpected(std::move(reply).error());
    if (reply->kind == PromptReply::Kind::kDeferred) return std::nullopt;
    if (GoesNowhere(inquiry.question, *reply)) {
      problem = "there is no earlier question";
      continue;
    }
    if (reply->kind == PromptReply::Kind::kCancel) return *std::move(reply);
    const Status fits = CheckReply(inquiry.question, *reply, call);
    if (fits) return *std::move(reply);
    problem = fits.error().message;
  }
}

Result<Resolution> PromptUser(TurnRecorder& recorder, const InquiryRequest& inquiry, const Responders& responders) {
  const auto reply = TURNLOG_TRY(PromptUntilItFits(recorder, inquiry, responders));
  if (!reply) return Resolution{.inquiry = inquiry.id};
  const Responder user = UserOf(responders, *reply);
  return reply->kind == PromptReply::Kind::kCancel ? Cancel(recorder, inquiry.id, user, *reply)
                                                   : Answer(recorder, inquiry, user, *reply);
}

}  // namespace turnlog
