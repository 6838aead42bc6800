#include "service/answering.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/secret_string.h"
#include "base/try.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/ask_user_question.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/inquiry/pending_inquiry_responder.h"
#include "turnlog/inquiry/turn_recorder.h"
#include "turnlog/load_turn_state.h"

namespace turnlog {
namespace {

constexpr std::chrono::seconds kHandoverTime{10};
// How often a step is taken again because the agent has written.
constexpr int kTries = 16;

std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

std::vector<std::string> Waiting(const TurnState& state) {
  std::vector<std::string> ids;
  for (const InquiryState* inquiry : state.questions()) ids.push_back(inquiry->request.id.text);
  return ids;
}

// Whether the question waits; if no id is given, whether any does.
bool Waits(Log& log, const ConversationId& conversation, const std::optional<std::string>& id) {
  if (!id) {
    const auto pending = log.Pending(conversation);
    return pending && !pending->empty();
  }
  const auto attempts = log.FindInquiry(conversation, {.text = *id, .key = {}});
  return attempts && !attempts->empty() && attempts->back().pending;
}

// An agent that does something else meanwhile appends in between, which is no conflict with those who answer, as long
// as there is still something to do. What is refused for another reason than the state of the log has no `last_seq`.
Status Retried(const std::function<Status()>& step, const std::function<bool()>& goes_on) {
  Status done = step();
  for (int tries = 1; tries < kTries && !done && done.error().last_seq && goes_on(); ++tries) done = step();
  return done;
}

// A recorder that leaves open what it has not closed.
class BriefRecorder {
 public:
  static Result<BriefRecorder> Open(Log& log, const ConversationId& conversation) {
    return BriefRecorder(TURNLOG_TRY(TurnRecorder::Resume(log, conversation)));
  }
  BriefRecorder(BriefRecorder&&) = default;
  BriefRecorder& operator=(BriefRecorder&&) = delete;
  ~BriefRecorder() {
    if (recorder_) recorder_->Suspend();
  }
  TurnRecorder* operator->() { return recorder_.get(); }
  TurnRecorder& operator*() { return *recorder_; }

 private:
  explicit BriefRecorder(std::unique_ptr<TurnRecorder> recorder) : recorder_(std::move(recorder)) {}
  std::unique_ptr<TurnRecorder> recorder_;
};

// What follows from answers that are on record.
Status Follow(ServiceState& state, const ConversationId& conversation,
              const std::function<Status(TurnRecorder& recorder)>& step) {
  const auto record = [&]() -> Status {
    auto recorder = TURNLOG_TRY(BriefRecorder::Open(state.log, conversation));
    return step(*recorder);
  };
  return Retried(record, [] { return true; });
}

// The question that is meant: by its id, or the only one that waits.
Result<InquiryState> Choose(BriefRecorder& recorder, const std::optional<std::string>& id) {
  const TurnState now = recorder->state();
  if (id) {
    if (const InquiryState* const found = now.FindQuestion(*id)) return *found;
    const Status waits = recorder->CheckWaits(*id);
    return std::unexpected(waits ? Error{ErrorCode::kConflict, "the inquiry has been closed"} : waits.error());
  }
  const auto waiting = now.questions();
  if (waiting.size() == 1) return *waiting.front();
  return Fail(waiting.empty() ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument,
              fmt::format("{} inquiries wait: give the id of one", waiting.size()));
}

Responder ResponderOf(const AnswerBody& body) { return {"user", {}, body.who, body.via, {}}; }

std::optional<std::string> NonEmpty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

GivenAnswer AnswerOf(const AnswerBody& body, std::string_view json) {
  return {.answer = Json::FromTrusted(std::string(json)),
          .responder = ResponderOf(body),
          .reason = NonEmpty(body.note),
          .remember = body.remember};
}

GivenAnswer AnswerOf(const AnswerBody& body) {
  if (body.arguments.empty()) return AnswerOf(body, body.answer);
  GivenAnswer edited = AnswerOf(body, "false");
  edited.edited_arguments = Json::FromTrusted(std::string(body.arguments));
  return edited;
}

std::string CancelReason(const AnswerBody& body) {
  if (!body.reason.empty()) return body.reason;
  return std::string(body.decline ? cancellation::kUser : cancellation::kEndTurn);
}

// Does it once; what comes of it, such as the next question of a form, goes on waiting.
Status RespondOnce(ServiceState& state, const ConversationId& conversation, const std::string& inquiry,
                   const AnswerBody& body, const PromptReply& reply) {
  auto responder = TURNLOG_TRY(PendingInquiryResponder::Open(state.log, conversation));
  const auto prompt = [&, done = false](const InquiryRequest&,
                                        std::string_view problem) mutable -> Result<PromptReply> {
    if (!problem.empty()) return Fail(ErrorCode::kInvalidArgument, std::string(problem));
    return std::exchange(done, true) ? PromptReply{} : reply;
  };
  return responder.Respond(inquiry, {.user = prompt, .who = body.who, .via = body.via});
}

// --- Secrets ---

Result<SecretString> SecretOf(std::string_view json) {
  if (!json.starts_with('"')) return Fail(ErrorCode::kInvalidArgument, "the answer to a secret question is a string");
  std::string text = UnescapeJson(json);
  SecretString secret(text);
  Wipe(text);
  return secret;
}

// On record before it is passed on: an agent that goes away in between asks again, because it finds no secret there.
Status HandOver(ServiceState& state, const ConversationId& conversation, BriefRecorder& recorder,
                const InquiryState& inquiry, const AnswerBody& body) {
  const SecretString secret = TURNLOG_TRY(SecretOf(body.answer));
  const std::string& id = inquiry.request.id.text;
  const auto agent = state.agents.PromiseSecret(conversation.text(), id);
  if (agent == nullptr) {
    return Fail(ErrorCode::kConflict,
                "no agent is waiting for this secret at the moment, and it is stored nowhere: give it when the agent "
                "asks again");
  }
  AnswerBody without = body;
  without.note.clear();
  const Status recorded = recorder->Answer(id, AnswerOf(without, R"("")"));
  if (!recorded) {
    agent->Withdraw();
    return recorded;
  }
  if (agent->Give(secret.view(), kHandoverTime)) return {};
  return Fail(ErrorCode::kIo, "the agent went away before it had the secret; it asks again when it comes back");
}

// --- Several answers ---

// The questions that wait, by text. kInvalidArgument: none or several have one of the texts.
Result<std::vector<Closing>> ClosingsOf(const TurnState& now, const AnswerBody& body) {
  std::vector<Closing> closings;
  for (const auto& [text, answer] : body.answers) {
    std::vector<const InquiryState*> found = now.questions();
    std::erase_if(found, [&](const InquiryState* each) { return each->request.question.text != text; });
    if (found.size() != 1) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} questions that wait have the text of answer {}", found.size(), closings.size() + 1));
    }
    if (found.front()->request.question.answer_type.kind == AnswerKind::kSecret) {
      return Fail(ErrorCode::kInvalidArgument, "a secret is given alone, by the id of its inquiry");
    }
    closings.push_back({found.front()->request.id.text, AnswerOf(body, answer), {}, {}});
  }
  return closings;
}

Status RespondToAll(ServiceState& state, const ConversationId& conversation, BriefRecorder& recorder,
                    const AnswerBody& body) {
  const TurnState before = recorder->state();
  const auto closings = TURNLOG_TRY(ClosingsOf(before, body));
  const OpenCall* const call = before.CallOf(*before.FindQuestion(closings.front().inquiry));
  TURNLOG_TRY(recorder->CloseAll(closings));
  if (call == nullptr || state.agents.AnyIn(conversation.text())) return {};
  if (!ParseUserQuestions(call->request.arguments)) return {};
  return Follow(state, conversation, [&](TurnRecorder& fresh) -> Status {
    (void)TURNLOG_TRY(SettleUserQuestion(fresh, call->request.id));
    return {};
  });
}

Result<std::string> Report(Log& log, const ConversationId& conversation, const std::vector<std::string>& before) {
  const TurnState now = TURNLOG_TRY(LoadTurnState(log, conversation));
  const std::vector<std::string> pending = Waiting(now);
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("conversation", conversation.text());
  json.Key("closed");
  json.StartArray();
  for (const std::string& id : before) {
    if (std::ranges::find(pending, id) == pending.end()) json.String(id);
  }
  json.EndArray();
  json.Field("activity", ToString(now.activity()));
  json.Key("pending");
  json.StartArray();
  for (const std::string& id : pending) json.String(id);
  json.EndArray();
  json.EndObject();
  return text;
}

// The agent finds the answer and goes on. A decision that is to hold for the turn becomes a permission here, because
// the agent sees only the answer.
Status AnswerForAgent(ServiceState& state, const ConversationId& conversation, BriefRecorder& recorder,
                      const InquiryState& inquiry, const AnswerBody& body) {
  const TurnState before = recorder->state();
  const InquiryState* const waiting = before.FindQuestion(inquiry.request.id.text);
  const OpenCall* const approved = waiting == nullptr ? nullptr : CallToApprove(before, *waiting);
  TURNLOG_TRY(recorder->Answer(inquiry.request.id.text, AnswerOf(body)));
  if (approved == nullptr || !body.remember) return {};
  const Permission permission = body.answer == "true" ? Permission::kAllow : Permission::kDeny;
  return Follow(state, conversation, [&](TurnRecorder& fresh) {
    return RememberDecision(fresh, approved->request, permission, ResponderOf(body), NonEmpty(body.note));
  });
}

Status RespondToOne(ServiceState& state, const ConversationId& conversation, BriefRecorder& recorder,
                    const AnswerBody& body) {
  const InquiryState inquiry = TURNLOG_TRY(Choose(recorder, body.inquiry));
  const std::string& id = inquiry.request.id.text;
  if (inquiry.request.question.answer_type.kind == AnswerKind::kSecret) {
    return HandOver(state, conversation, recorder, inquiry, body);
  }
  if (state.agents.AnyIn(conversation.text())) return AnswerForAgent(state, conversation, recorder, inquiry, body);
  PromptReply reply{.kind = PromptReply::Kind::kAnswer,
                    .answer = Json::FromTrusted(std::string(body.answer)),
                    .remember = body.remember,
                    .reason = {},
                    .note = body.note};
  reply.edited_arguments = Json::FromTrusted(std::string(body.arguments));
  return RespondOnce(state, conversation, id, body, reply);
}

// The end of a turn closes all that waits in it: agents wait for their questions in any order, and each has to learn
// it.
std::vector<Closing> CancellationsOf(const std::string& inquiry, const std::vector<std::string>& waiting,
                                     const AnswerBody& body) {
  const std::string reason = CancelReason(body);
  std::vector<Closing> closings;
  for (const std::string& id : waiting) {
    if (id == inquiry || reason == cancellation::kEndTurn) closings.push_back({id, {}, reason, ResponderOf(body)});
  }
  return closings;
}

// With what follows from each, which may close others of them.
Status CancelEach(ServiceState& state, const ConversationId& conversation, const std::vector<Closing>& closings,
                  const AnswerBody& body) {
  const PromptReply reply{
      .kind = PromptReply::Kind::kCancel, .answer = {}, .remember = false, .reason = CancelReason(body)};
  for (const Closing& each : closings) {
    const auto waits = [&] { return Waits(state.log, conversation, each.inquiry); };
    if (closings.size() > 1 && !waits()) continue;
    TURNLOG_TRY(Retried([&] { return RespondOnce(state, conversation, each.inquiry, body, reply); }, waits));
  }
  return {};
}

}  // namespace

Result<std::string> RespondTo(ServiceState& state, const ConversationId& conversation, const AnswerBody& body) {
  const int given = !body.answer.empty() + !body.answers.empty() + !body.arguments.empty();
  if (given != 1 || !body.reason.empty() || body.decline) {
    return Fail(ErrorCode::kInvalidArgument, "give one of answer, answers and arguments, and no reason to cancel");
  }
  std::vector<std::string> before;
  const auto respond = [&]() -> Status {
    auto recorder = TURNLOG_TRY(BriefRecorder::Open(state.log, conversation));
    before = Waiting(recorder->state());
    return !body.answers.empty() ? RespondToAll(state, conversation, recorder, body)
                                 : RespondToOne(state, conversation, recorder, body);
  };
  TURNLOG_TRY(Retried(respond, [&] { return Waits(state.log, conversation, body.inquiry); }));
  return Report(state.log, conversation, before);
}

Result<std::string> CancelIn(ServiceState& state, const ConversationId& conversation, const AnswerBody& body) {
  if (!body.answer.empty() || !body.answers.empty() || !body.arguments.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "a cancellation has no answer");
  }
  std::vector<std::string> before;
  const auto cancel = [&]() -> Status {
    auto recorder = TURNLOG_TRY(BriefRecorder::Open(state.log, conversation));
    before = Waiting(recorder->state());
    const std::string id = TURNLOG_TRY(Choose(recorder, body.inquiry)).request.id.text;
    const auto closings = CancellationsOf(id, before, body);
    return state.agents.AnyIn(conversation.text()) ? recorder->CloseAll(closings)
                                                   : CancelEach(state, conversation, closings, body);
  };
  TURNLOG_TRY(Retried(cancel, [&] { return Waits(state.log, conversation, body.inquiry); }));
  return Report(state.log, conversation, before);
}

}  // namespace turnlog
