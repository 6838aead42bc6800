// Answers, from those who give them to those who wait for them.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/try.h"
#include "schema/event/codec.h"
#include "schema/json/json_writer.h"
#include "service/answering.h"
#include "service/handlers.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::uint64_t kLongestWait = 60'000;
constexpr milliseconds kPromiseLook{1000};
constexpr std::size_t kMostEscaped = 6;  // bytes of JSON for one of a string
constexpr std::size_t kRoomAround = 64;  // the field's name and what follows it

// Who waits: others than agents change nothing of what an answer records.
enum class Waiter : std::uint8_t { kOnlooker, kAgent, kAgentForSecret };

// One document, when the inquiry is closed or the time is over.
class AnswerSource : public BodySource {
 public:
  AnswerSource(ServiceState& state, ConversationId conversation, std::string inquiry, Waiter waiter, milliseconds wait,
               StreamAccess access)
      : state_(state),
        conversation_(std::move(conversation)),
        inquiry_(std::move(inquiry)),
        waiter_(waiter),
        end_(steady_clock::now() + wait),
        access_(std::move(access)) {}
  ~AnswerSource() override {
    if (agent_ == nullptr) return;
    agent_->Leave();
    state_.agents.Remove(conversation_.text(), inquiry_, *agent_);
  }

  void OnWake(std::function<void()> wake) override {
    if (waiter_ != Waiter::kOnlooker) {
      agent_ = std::make_shared<WaitingAgent>(waiter_ == Waiter::kAgentForSecret, wake);
      state_.agents.Add(conversation_.text(), inquiry_, agent_);
    }
    subscription_.Begin(state_.hub, state_.hub.Subscribe(conversation_.text(), std::move(wake)));
  }

  Result<State> Read(std::string& piece) override {
    TURNLOG_TRY(access_.Check());
    const auto attempts = TURNLOG_TRY(state_.log.FindInquiry(conversation_, {.text = inquiry_, .key = {}}));
    const InquiryRecord last = attempts.empty() ? InquiryRecord{} : attempts.back();
    // A secret is promised before its question is closed, so this comes after the look at the question.
    if (agent_ != nullptr && agent_->IsPromised()) return State::kIdle;
    if (last.pending && steady_clock::now() < end_) return State::kIdle;
    const std::optional<SecretString> secret = agent_ == nullptr || last.pending ? std::nullopt : agent_->Take();
    TURNLOG_TRY(Write(last, secret, piece));
    return State::kEnd;
  }

  void Sent() override {
    if (agent_ != nullptr) agent_->Confirm();
  }

  milliseconds idle_limit() const override {
    const auto left = std::chrono::ceil<milliseconds>(end_ - steady_clock::now());
    return left.count() > 0 ? left : kPromiseLook;
  }

  // What an answer records depends on whether an agent waits for it.
  bool ends_with_client() const override { return true; }

 private:
  Status Write(const InquiryRecord& attempt, const std::optional<SecretString>& secret, std::string& piece) {
    JsonWriter json(piece);
    json.StartObject();
    json.Field("state", attempt.pending ? "waiting" : attempt.response ? "closed" : "over");
    if (attempt.response) TURNLOG_TRY(WriteResponse(*attempt.response, json));
    if (secret) {
      // Room first: growing with a part of the secret would leave a copy of that behind.
      piece.reserve(piece.size() + kMostEscaped * secret->size() + kRoomAround);
      json.Field("secret", secret->view());
    }
    json.EndObject();
    return {};
  }

  Status WriteResponse(Seq seq, JsonWriter& json) {
    const auto cursor = TURNLOG_TRY(state_.log.ReadRaw(conversation_, {.from = seq, .limit = 1}));
    const Item item = TURNLOG_TRY(cursor->Next());
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return {};
    json.Key("response");
    AppendJson(TURNLOG_TRY(record->Decode()), record->conversation, record->seq, json.Value());
    return {};
  }

  ServiceState& state_;
  const ConversationId conversation_;
  const std::string inquiry_;
  const Waiter waiter_;
  const steady_clock::time_point end_;
  const StreamAccess access_;
  std::shared_ptr<WaitingAgent> agent_;
  EventHub::Subscription subscription_;
};

// What a browser sends is said by the person of its session.
Result<AnswerBody> BodyOf(ServiceState& state, const HttpRequest& request) {
  AnswerBody body = TURNLOG_TRY(ReadAnswerBody(request.body.view()));
  if (auto who = state.rules->WhoSends(request)) body.who = std::move(who);
  return body;
}

}  // namespace

Handled Respond(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  const AnswerBody body = TURNLOG_TRY(BodyOf(state, call.request));
  return JsonResponse(TURNLOG_TRY(RespondTo(state, conversation, body)));
}

Handled Cancel(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  const AnswerBody body = TURNLOG_TRY(BodyOf(state, call.request));
  return JsonResponse(TURNLOG_TRY(CancelIn(state, conversation, body)));
}

Handled WaitForInquiry(ServiceState& state, Call& call) {
  const std::string inquiry = call.query.Take("inquiry").value_or("");
  const milliseconds wait(std::min(TURNLOG_TRY(call.query.Number("wait")).value_or(0), kLongestWait));
  const bool secret = TURNLOG_TRY(call.query.Flag("secret"));
  TURNLOG_TRY(call.query.Finish());
  auto refusal = state.rules->RefuseWithout(AccessRight::kAppend, call.request);
  if (secret && refusal) return *std::move(refusal);
  const Waiter waiter = refusal ? Waiter::kOnlooker : secret ? Waiter::kAgentForSecret : Waiter::kAgent;
  const auto conversation = TURNLOG_TRY(call.Conversation());
  const auto attempts = TURNLOG_TRY(state.log.FindInquiry(conversation, {.text = inquiry, .key = {}}));
  if (attempts.empty()) return std::unexpected(Error{ErrorCode::kNotFound, "there is no such inquiry"});
  return StreamResponse("application/json", std::make_unique<AnswerSource>(state, conversation, inquiry, waiter, wait,
                                                                           StreamAccess(*state.rules, call.request)));
}

}  // namespace turnlog
