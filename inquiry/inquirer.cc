#include "turnlog/inquiry/inquirer.h"

#include <utility>

#include "base/try.h"
#include "inquiry/prompt_user.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/inquiry/rejection.h"

namespace turnlog {
namespace {

class Inquirer {
 public:
  Inquirer(TurnRecorder& recorder, const InquiryAttempt& asking, const Target& target, const Responders& responders)
      : recorder_(recorder), asking_(asking), target_(target), responders_(responders) {}

  Result<Resolution> Run() {
    const TurnState state = recorder_.state();
    if (const InquiryState* const last = LastAttempt(state)) {
      if (!last->response) return TakeUp(last->request);
      if (IsUnescalated(*last)) return Escalate(last->request, last->response->reason.value_or(""));
    }
    return Route(TURNLOG_TRY(Ask(asking_)));
  }

 private:
  const InquiryState* LastAttempt(const TurnState& state) const {
    const OpenCall* const call = state.FindCall(asking_.tool_call);
    if (call == nullptr) return nullptr;
    const InquiryState* last = nullptr;
    for (const InquiryState* exchange : state.InquiriesOf(*call)) {
      if (exchange->request.id.key->question == asking_.question_id) last = exchange;
    }
    return last;
  }

  // An attempt that follows an escalation is for the user: the assistant has had its say.
  Result<Resolution> TakeUp(const InquiryRequest& waiting) {
    if (!waiting.escalated_from) return Route(waiting);
    return attended() ? Prompt(waiting) : UseDefaultFor(waiting);
  }

  bool attended() const { return static_cast<bool>(responders_.user); }
  bool secret() const { return asking_.question.answer_type.kind == AnswerKind::kSecret; }
  bool Takes(const Json& answer) const {
    return !answer.empty() && CheckAnswer(asking_.question.answer_type, answer).has_value();
  }

  Result<InquiryRequest> Ask(const InquiryAttempt& asking) {
    InquiryId id = TURNLOG_TRY(recorder_.Ask(asking));
    return InquiryRequest{std::move(id), asking.source, asking.question, asking.escalated_from};
  }

  Result<Resolution> Route(const InquiryRequest& inquiry) {
    const std::optional<Json> remembered = recorder_.FindRemembered(asking_);
    const turnlog::Route route = DecideRoute({.target = target_.kind,
                                              .attended = attended(),
                                              .detached = responders_.detached,
                                              .exclusive = asking_.question.exclusive.value_or(false),
                                              .secret = secret(),
                                              .has_default = Takes(asking_.question.default_value),
                                              .has_remembered = remembered.has_value(),
                                              .static_fits = Takes(target_.answer)});
    switch (route.kind) {
      case RouteKind::kPrompt:
        return Prompt(inquiry);
      case RouteKind::kAskAssistant:
        return AskAssistant(inquiry);
      case RouteKind::kUseDefault:
        return Answer(inquiry, {asking_.question.default_value, {"policy", {}, {}, {}, {}}, {}, false});
      case RouteKind::kUseStatic:
        return Answer(inquiry, {target_.answer, {"static", {}, {}, {}, {}}, {}, false});
      case RouteKind::kUseRemembered:
        return Answer(inquiry, {*remembered, {"remembered", {}, {}, {}, {}}, {}, false});
      case RouteKind::kFail:
        break;
    }
    return Cancel(inquiry, route.reason);
  }

  Result<Resolution> Prompt(const InquiryRequest& inquiry) { return PromptUser(recorder_, inquiry, responders_.user); }

  Result<Resolution> AskAssistant(const InquiryRequest& inquiry) {
    const AnswerType& type = inquiry.question.answer_type;
    AssistantRequest request{inquiry, AssistantPrompt(inquiry), TURNLOG_TRY(AnswerSchema(type)), target_.settings,
                             std::string()};
    for (int tries = 0; responders_.assistant && tries < responders_.assistant_tries; ++tries) {
      const Result<std::string> output = responders_.assistant(request);
      if (!output) break;
      const auto given = ParseAssistantAnswer(type, *output);
      if (given) return TakeAssistantAnswer(inquiry, *given);
      request.rejection = RejectionText(given.error());
    }
    return Cancel(inquiry, cancellation::kBackendError);
  }

  Result<Resolution> TakeAssistantAnswer(const InquiryRequest& inquiry, const AssistantAnswer& given) {
    const Responder responder{"assistant", target_.model() ? target_.model() : responders_.model, {}, {}, {}};
    Resolution resolution = TURNLOG_TRY(Answer(inquiry, {given.answer, responder, given.reason, false}));
    const bool rejected = IsRejection(inquiry.question.answer_type, given.answer);
    if (!rejected || HowToEscalate() == Escalation::kNone) return resolution;
    return Escalate(inquiry, given.reason);
  }

  Escalation HowToEscalate() const {
    return DecideEscalation(target_.kind, attended(), responders_.detached, Takes(asking_.question.default_value));
  }

  // The process died between the assistant's no and the question to the user.
  bool IsUnescalated(const InquiryState& exchange) const {
    const InquiryResponse& response = *exchange.response;
    return response.outcome == Outcome::kAnswered && response.responder && response.responder->kind == "assistant" &&
           IsRejection(exchange.request.question.answer_type, response.answer) && HowToEscalate() != Escalation::kNone;
  }

  Result<Resolution> Escalate(const InquiryRequest& rejected, std::string_view reason) {
    InquiryAttempt escalated = asking_;
    escalated.question = EscalatedQuestion(asking_.question, reason);
    escalated.escalated_from = rejected.id.text;
    return TakeUp(TURNLOG_TRY(Ask(escalated)));
  }

  Result<Resolution> UseDefaultFor(const InquiryRequest& inquiry) {
    if (HowToEscalate() != Escalation::kUseDefault) return Cancel(inquiry, cancellation::kNoPromptBackend);
    return Answer(inquiry, {asking_.question.default_value, {"policy", {}, {}, {}, {}}, {}, false});
  }

  Result<Resolution> Answer(const InquiryRequest& inquiry, const GivenAnswer& given) {
    TURNLOG_TRY(recorder_.Answer(inquiry.id.text, given));
    return Resolution{Resolution::Kind::kAnswered, inquiry.id, given.answer, given.responder, {}};
  }

  Result<Resolution> Cancel(const InquiryRequest& inquiry, std::string_view reason) {
    TURNLOG_TRY(recorder_.Cancel(inquiry.id.text, reason));
    return Resolution{Resolution::Kind::kCancelled, inquiry.id, {}, {}, std::string(reason)};
  }

  TurnRecorder& recorder_;
  const InquiryAttempt& asking_;
  const Target& target_;
  const Responders& responders_;
};

}  // namespace

Result<Resolution> Inquire(TurnRecorder& recorder, const InquiryAttempt& asking, const Target& target,
                           const Responders& responders) {
  return Inquirer(recorder, asking, target, responders).Run();
}

}  // namespace turnlog
