#include "turnlog/inquiry/approval.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "inquiry/asked_questions.h"
#include "inquiry/prompt_user.h"
#include "inquiry/remembered_responder.h"
#include "inquiry/turn_memory.h"
#include "turnlog/edited_arguments.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/inquiry/denials.h"

namespace turnlog {
namespace {

constexpr std::string_view kQuestionId = "approve";

InquiryAttempt QuestionAbout(const ToolCallRequest& call) {
  InquiryAttempt attempt{.tool_call = call.id,
                         .question_id = std::string(kQuestionId),
                         .source = {.kind = SourceKind::kTool, .name = call.name, .extra = {}},
                         .question = {},
                         .escalated_from = {}};
  attempt.question.text = fmt::format("Run {}?", call.name);
  attempt.question.answer_type.kind = AnswerKind::kBoolean;
  attempt.question.context = call.arguments.empty() ? "{}" : call.arguments.text();
  attempt.question.exclusive = true;
  return attempt;
}

std::optional<std::string> OrNone(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

std::optional<RememberedPermission> FindPermission(const TurnRecorder& recorder, const ToolCallRequest& call) {
  const auto exact = recorder.FindPermission({call.name, ArgumentsHash(call.name, call.arguments)});
  return exact ? exact : recorder.FindPermission({call.name, {}});
}

bool IsAbout(const InquiryRequest& inquiry, const InquiryAttempt& attempt) {
  return inquiry.id.key && inquiry.id.key->question == kQuestionId &&
         SameQuestion(inquiry.question, attempt.question) && inquiry.question.context == attempt.question.context;
}

class Approver {
 public:
  Approver(TurnRecorder& recorder, ToolCallRequest call, const Responders& responders)
      : recorder_(recorder), call_(std::move(call)), responders_(responders) {}

  Result<Approval> Run() {
    InquiryRequest inquiry = TURNLOG_TRY(Take());
    if (decided_) return *decided_;
    if (const auto permission = FindPermission(recorder_, call_)) {
      return Decide(inquiry.id, permission->permission, ByRemembered(permission->responder), {});
    }
    if (!responders_.user) return Cancel(inquiry.id, {}, cancellation::kNoPromptBackend);
    return Prompt(inquiry);
  }

 private:
  // The question as it waits; what was answered to it is decided already.
  Result<InquiryRequest> Take() {
    const InquiryAttempt attempt = QuestionAbout(call_);
    const TurnState state = recorder_.state();
    const OpenCall* const open = state.FindCall(call_.id);
    for (const InquiryState* inquiry :
         open == nullptr ? std::vector<const InquiryState*>() : state.InquiriesOf(*open)) {
      if (!IsAbout(inquiry->request, attempt)) continue;
      if (!inquiry->response) return inquiry->request;
      const InquiryResponse& response = *inquiry->response;
      if (response.outcome != Outcome::kAnswered) continue;
      decided_ = DecidedBy(response);
      if (decided_->kind == Approval::Kind::kDenied) TURNLOG_TRY(Deny(*decided_, {}));
      return inquiry->request;
    }
    InquiryId id = TURNLOG_TRY(recorder_.Ask(attempt));
    return InquiryRequest{std::move(id), attempt.source, attempt.question, {}};
  }

  Approval DecidedBy(const InquiryResponse& response) const {
    Approval decided{Approval::Kind::kApproved, response.id, response.responder, response.reason.value_or("")};
    if (response.answer.text() == "true") return decided;
    decided.arguments = recorder_.FindEditedArguments(response.id.text);
    decided.kind = decided.arguments.empty() ? Approval::Kind::kDenied : Approval::Kind::kEdited;
    return decided;
  }

  Result<Approval> Prompt(const InquiryRequest& inquiry) {
    const auto reply = TURNLOG_TRY(PromptUntilItFits(recorder_, inquiry, responders_, &call_));
    if (!reply) return Approval{.inquiry = inquiry.id};
    const Responder user = UserOf(responders_, *reply);
    if (reply->kind == PromptReply::Kind::kAnswer) return Answer(inquiry, user, *reply);
    return Cancel(inquiry.id, user, reply->reason.empty() ? cancellation::kUser : reply->reason);
  }

  Result<Approval> Answer(const InquiryRequest& inquiry, const Responder& user, const PromptReply& reply) {
    if (!reply.edited_arguments.empty()) return Edit(inquiry.id, user, reply);
    const Permission permission = reply.answer.text() == "true" ? Permission::kAllow : Permission::kDeny;
    Approval decided = TURNLOG_TRY(Decide(inquiry.id, permission, user, reply.note));
    if (!reply.remember) return decided;
    TURNLOG_TRY(RememberDecision(recorder_, call_, permission, user, OrNone(reply.note)));
    return decided;
  }

  Result<Approval> Edit(const InquiryId& inquiry, const Responder& user, const PromptReply& reply) {
    const GivenAnswer given{Json::FromTrusted("false"), user, OrNone(reply.note), reply.remember,
                            reply.edited_arguments};
    TURNLOG_TRY(recorder_.Answer(inquiry.text, given));
    return Approval{Approval::Kind::kEdited, inquiry, user, reply.note, recorder_.FindEditedArguments(inquiry.text)};
  }

  Result<Approval> Decide(const InquiryId& inquiry, Permission permission, const Responder& responder,
                          const std::string& reason) {
    const bool approved = permission == Permission::kAllow;
    const GivenAnswer given{Json::FromTrusted(approved ? "true" : "false"), responder, OrNone(reason), false};
    const std::vector<Closing> closings{{inquiry.text, given, {}}};
    Approval decided{approved ? Approval::Kind::kApproved : Approval::Kind::kDenied, inquiry, responder, reason};
    if (!approved) {
      TURNLOG_TRY(Deny(decided, closings));
    } else {
      TURNLOG_TRY(recorder_.CloseAll(closings));
    }
    return decided;
  }

  Status Deny(const Approval& decided, std::span<const Closing> closings) {
    return recorder_.DenyTool(call_.id, OrNone(decided.reason), decided.responder.value_or(Responder{}), closings);
  }

  Result<Approval> Cancel(const InquiryId& inquiry, const std::optional<Responder>& by, std::string_view reason) {
    TURNLOG_TRY(recorder_.Cancel(inquiry.text, reason, by));
    return Approval{Approval::Kind::kCancelled, inquiry, by, std::string(reason)};
  }

  TurnRecorder& recorder_;
  const ToolCallRequest call_;
  const Responders& responders_;
  std::optional<Approval> decided_;
};

}  // namespace

const OpenCall* CallToApprove(const TurnState& state, const InquiryState& inquiry) {
  const OpenCall* const call = state.CallOf(inquiry);
  return call != nullptr && IsAbout(inquiry.request, QuestionAbout(call->request)) ? call : nullptr;
}

Status CheckEditedArguments(const ToolCallRequest* call, const Json& arguments) {
  const auto wrong = [](std::string_view what) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, std::string(what)});
  };
  if (call == nullptr) return wrong("only a call that waits for its approval can get other arguments");
  if (!arguments.text().starts_with('{')) return wrong("edited arguments must be a JSON object");
  const std::string_view own = call->arguments.empty() ? "{}" : std::string_view(call->arguments.text());
  if (arguments.text() == own) return wrong("the arguments are those of the call: allow it instead");
  return {};
}

Status RememberDecision(TurnRecorder& recorder, const ToolCallRequest& call, Permission permission,
                        const Responder& user, const std::optional<std::string>& reason) {
  return recorder.RememberPermission({call.name, ArgumentsHash(call.name, call.arguments)}, permission, user, reason);
}

namespace {

Result<Approval> ApproveOpen(TurnRecorder& recorder, std::string_view call, const Responders& responders) {
  TURNLOG_TRY(recorder.CheckOpen(call));
  const TurnState state = recorder.state();
  const OpenCall* const open = state.FindCall(call);
  if (open == nullptr) return std::unexpected(recorder.CheckOpen(call).error());
  return Approver(recorder, open->request, responders).Run();
}

}  // namespace

Result<Approval> Approve(TurnRecorder& recorder, std::string_view call, const Responders& responders) {
  auto approval = ApproveOpen(recorder, call, responders);
  if (approval || approval.error().code != ErrorCode::kConflict) return approval;
  const auto denial = recorder.FindDenial(call);
  if (!denial) return approval;
  return Approval{Approval::Kind::kDenied, {}, denial->responder, denial->reason.value_or("")};
}

bool IsDecision(const EventView& event) {
  if (const auto* response = std::get_if<InquiryResponseView>(&event.body)) {
    return response->outcome == Outcome::kAnswered;
  }
  const auto* other = std::get_if<VerbatimView>(&event.body);
  return other != nullptr && other->tag == kPermissionType;
}

}  // namespace turnlog
