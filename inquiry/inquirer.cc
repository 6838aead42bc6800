#include "turnlog/inquiry/inquirer.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "inquiry/ask_question.h"
#include "inquiry/asked_questions.h"
#include "inquiry/prompt_user.h"
#include "inquiry/remembered_responder.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/inquiry/prompt_text.h"
#include "turnlog/inquiry/rejection.h"

namespace turnlog {
namespace {

GivenAnswer By(std::string_view kind, const Json& answer) {
  return {answer, {std::string(kind), {}, {}, {}, {}}, {}, false};
}

bool IsAnswered(const InquiryState& inquiry) {
  return inquiry.response && inquiry.response->outcome == Outcome::kAnswered;
}

// The assistant has said no.
bool IsAssistantsNo(const InquiryState& inquiry) {
  return IsAnswered(inquiry) && inquiry.response->responder && inquiry.response->responder->kind == "assistant" &&
         IsRejection(inquiry.request.question.answer_type, inquiry.response->answer);
}

// As it was resolved, by whichever process.
Resolution ResolutionOf(const InquiryState& inquiry) {
  const InquiryResponse& response = *inquiry.response;
  const Responder responder = response.responder.value_or(Responder{});
  if (!IsAnswered(inquiry)) {
    return {Resolution::Kind::kCancelled, inquiry.request.id, {}, responder, response.reason.value_or(""), {}};
  }
  return {Resolution::Kind::kAnswered, inquiry.request.id, response.answer, responder, {}, response.reason};
}

}  // namespace

class Inquirer {
 public:
  Inquirer(TurnRecorder& recorder, const InquiryAttempt& attempt, const Target& target, const Responders& responders)
      : recorder_(recorder), attempt_(attempt), target_(target), responders_(responders) {}

  // What was asked before comes first: answers are handed on, what waits is taken up.
  Result<Resolution> Inquire() {
    return recorder_.asked_->Once(attempt_, [&](std::uint32_t handed) -> Result<Resolution> {
      const TurnState state = recorder_.state();
      const auto attempts = AttemptsAfter(state, handed);
      for (const InquiryState* past : attempts) {
        auto resolution = TURNLOG_TRY(Replay(*past, attempts));
        if (resolution) return Hand(*std::move(resolution));
      }
      return Hand(TURNLOG_TRY(AskAgain()));
    });
  }

  // Of what was asked before, only what waits counts.
  Result<Resolution> Ask() {
    return recorder_.asked_->Once(attempt_, [&](std::uint32_t) -> Result<Resolution> {
      const TurnState state = recorder_.state();
      const auto attempts = AttemptsAfter(state, 0);
      if (!attempts.empty() && !attempts.back()->response) {
        auto resolution = TURNLOG_TRY(Replay(*attempts.back(), attempts));
        if (resolution) return Hand(*std::move(resolution));
      }
      return Hand(TURNLOG_TRY(AskAgain()));
    });
  }

 private:
  using Attempts = std::vector<const InquiryState*>;

  Attempts AttemptsAfter(const TurnState& state, std::uint32_t handed) const {
    const OpenCall* const call = state.FindCall(attempt_.tool_call);
    if (call == nullptr) return {};
    Attempts attempts = state.InquiriesOf(*call);
    std::erase_if(attempts, [&](const InquiryState* inquiry) {
      const auto& key = inquiry->request.id.key;
      return key->question != attempt_.question_id || key->attempt <= handed;
    });
    return attempts;
  }

  Resolution Hand(Resolution resolution) {
    if (resolution.kind != Resolution::Kind::kWaiting) recorder_.asked_->Hand(attempt_, touched_);
    return resolution;
  }

  // None: nothing came of this attempt that the tool could be given.
  Result<std::optional<Resolution>> Replay(const InquiryState& past, const Attempts& attempts) {
    touched_ = past.request.id.key->attempt;
    if (!SameQuestion(past.request.question, attempt_.question)) return Supersede(past);
    if (!past.response) return TURNLOG_TRY(TakeUp(past.request));
    if (FindFollowUp(past, attempts) != nullptr) return std::nullopt;
    if (const InquiryState* const rejected = FindRejected(past, attempts)) {
      return TURNLOG_TRY(HowToEscalate() == Escalation::kNone ? Result<Resolution>(ResolutionOf(*rejected))
                                                              : Escalate(*rejected));
    }
    const bool users =
        past.response->outcome == Outcome::kCancelled && cancellation::IsUsers(past.response->reason.value_or(""));
    return IsAnswered(past) || users ? std::optional(ResolutionOf(past)) : std::nullopt;
  }

  Result<std::optional<Resolution>> Supersede(const InquiryState& past) {
    if (!past.response) TURNLOG_TRY(recorder_.Cancel(past.request.id.text, cancellation::kSuperseded));
    return std::nullopt;
  }

  static const InquiryState* FindFollowUp(const InquiryState& past, const Attempts& attempts) {
    const auto follows = [&](const InquiryState* other) {
      return other->request.escalated_from == past.request.id.text;
    };
    const auto found = std::ranges::find_if(attempts, follows);
    return found == attempts.end() ? nullptr : *found;
  }

  // The assistant's no that the user has not been asked about yet: this past, or the one that it followed up.
  static const InquiryState* FindRejected(const InquiryState& past, const Attempts& attempts) {
    if (IsAssistantsNo(past)) return &past;
    const InquiryResponse& response = *past.response;
    if (response.outcome != Outcome::kCancelled || cancellation::IsUsers(response.reason.value_or(""))) return nullptr;
    const auto is_rejected = [&](const InquiryState* other) {
      return past.request.escalated_from == other->request.id.text && IsAssistantsNo(*other);
    };
    const auto found = std::ranges::find_if(attempts, is_rejected);
    return found == attempts.end() ? nullptr : *found;
  }

  // An attempt that follows an escalation is for the user: the assistant has had its say.
  Result<Resolution> TakeUp(const InquiryRequest& waiting) {
    if (!waiting.escalated_from) return Route(waiting);
    return attended() ? Prompt(waiting) : WithoutUser(waiting);
  }

  bool attended() const { return static_cast<bool>(responders_.user); }
  bool secret() const { return attempt_.question.answer_type.kind == AnswerKind::kSecret; }
  bool Takes(const Json& answer) const {
    return !answer.empty() && CheckAnswer(attempt_.question.answer_type, answer).has_value();
  }

  Result<InquiryRequest> Record(const InquiryAttempt& attempt) {
    InquiryId id = TURNLOG_TRY(recorder_.Ask(attempt));
    touched_ = id.key->attempt;
    return InquiryRequest{std::move(id), attempt.source, attempt.question, attempt.escalated_from};
  }

  Result<Resolution> AskAgain() { return Route(TURNLOG_TRY(Record(attempt_))); }

  Result<Resolution> Route(const InquiryRequest& inquiry) {
    const std::optional<RememberedAnswer> remembered = recorder_.FindRemembered(attempt_);
    const turnlog::Route route = DecideRoute({.target = target_.kind,
                                              .attended = attended(),
                                              .detached = responders_.detached,
                                              .exclusive = attempt_.question.exclusive.value_or(false),
                                              .secret = secret(),
                                              .has_default = Takes(attempt_.question.default_value),
                                              .has_remembered = remembered.has_value(),
                                              .static_fits = Takes(target_.answer),
                                              .static_names_question = target_.question == attempt_.question_id});
    switch (route.kind) {
      case RouteKind::kPrompt:
        return Prompt(inquiry);
      case RouteKind::kAskAssistant:
        return AskAssistant(inquiry);
      case RouteKind::kUseDefault:
        return Answer(inquiry, By("policy", attempt_.question.default_value));
      case RouteKind::kUseStatic:
        return Answer(inquiry, By("static", target_.answer));
      case RouteKind::kUseRemembered:
        return Answer(inquiry, {remembered->answer, ByRemembered(remembered->responder), {}, false});
      case RouteKind::kFail:
        break;
    }
    return Cancel(inquiry, route.reason);
  }

  Result<Resolution> Prompt(const InquiryRequest& inquiry) { return PromptUser(recorder_, inquiry, responders_); }

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
    return Escalate(inquiry, responder, given.reason);
  }

  Escalation HowToEscalate() const {
    return DecideEscalation(target_.kind, attended(), responders_.detached, Takes(attempt_.question.default_value));
  }

  // The process died before the user was asked.
  Result<Resolution> Escalate(const InquiryState& rejected) {
    const InquiryResponse& response = *rejected.response;
    return Escalate(rejected.request, *response.responder, response.reason.value_or(""));
  }

  Result<Resolution> Escalate(const InquiryRequest& rejected, const Responder& assistant, const std::string& reason) {
    InquiryAttempt escalated = attempt_;
    escalated.question = WithRejection(attempt_.question, {reason, assistant.model});
    escalated.escalated_from = rejected.id.text;
    return TakeUp(TURNLOG_TRY(Record(escalated)));
  }

  // The assistant's no is what there is.
  Result<Resolution> WithoutUser(const InquiryRequest& inquiry) {
    if (HowToEscalate() == Escalation::kUseDefault) {
      return Answer(inquiry, By("policy", attempt_.question.default_value));
    }
    const TurnState state = recorder_.state();
    Resolution cancelled = TURNLOG_TRY(Cancel(inquiry, cancellation::kNoPromptBackend));
    for (const InquiryState* past : AttemptsAfter(state, 0)) {
      if (past->request.id.text == inquiry.escalated_from && IsAnswered(*past)) return ResolutionOf(*past);
    }
    return cancelled;
  }

  Result<Resolution> Answer(const InquiryRequest& inquiry, GivenAnswer given) {
    given.answer = CanonicalAnswer(inquiry.question.answer_type, given.answer);
    TURNLOG_TRY(recorder_.Answer(inquiry.id.text, given));
    return Resolution{Resolution::Kind::kAnswered, inquiry.id, given.answer, given.responder, {}, given.reason};
  }

  Result<Resolution> Cancel(const InquiryRequest& inquiry, std::string_view reason) {
    TURNLOG_TRY(recorder_.Cancel(inquiry.id.text, reason));
    return Resolution{Resolution::Kind::kCancelled, inquiry.id, {}, {}, std::string(reason), {}};
  }

  TurnRecorder& recorder_;
  const InquiryAttempt& attempt_;
  const Target& target_;
  const Responders& responders_;
  std::uint32_t touched_ = 0;  // the last attempt that was looked at or made
};

Result<Resolution> Inquire(TurnRecorder& recorder, const InquiryAttempt& attempt, const Target& target,
                           const Responders& responders) {
  return Inquirer(recorder, attempt, target, responders).Inquire();
}

Result<Resolution> AskQuestion(TurnRecorder& recorder, const InquiryAttempt& attempt, const Target& target,
                               const Responders& responders) {
  return Inquirer(recorder, attempt, target, responders).Ask();
}

}  // namespace turnlog
