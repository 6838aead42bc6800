// A secret that is on its way when the agent's connection looks at the question.
#include <atomic>
#include <thread>

#include "log/forwarding_log.h"
#include "service/answering.h"
#include "service/handlers.h"
#include "tests/redact/process_memory.h"
#include "tests/service/service_fixture.h"
#include "turnlog/inquiry/turn_recorder.h"

namespace turnlog::secret_handover_test {
namespace {

using State = BodySource::State;

// Appends return when `Release` is called; what the reading thread looks up, it looks up after one is written.
class HeldLog : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  using Log::Append;
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                              const AppendOptions& options) override {
    auto appended = ForwardingLog::Append(conversation, events, options);
    Set(written_);
    released_.wait(false);
    return appended;
  }
  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                   const AppendOptions& options) override {
    return Append(conversation, events, options);
  }
  Result<std::vector<InquiryRecord>> FindInquiryRaw(const ConversationId& conversation,
                                                    const InquiryIdView& id) override {
    if (std::this_thread::get_id() == reader_) written_.wait(false);
    return ForwardingLog::FindInquiryRaw(conversation, id);
  }

  // The reading thread is this one, from now on.
  void HoldLookups() { reader_ = std::this_thread::get_id(); }
  void Release() { Set(released_); }

 private:
  static void Set(std::atomic<bool>& flag) {
    flag = true;
    flag.notify_all();
  }

  std::thread::id reader_;
  std::atomic<bool> written_ = false, released_ = false;
};

void AskForSecret(Log& log) {
  auto recorder = Must(TurnRecorder::Begin(log, Id("a"), {.content = "go", .author = {}, .schema = {}}));
  Must(recorder->RequestTool({.id = "call", .name = "tool", .arguments = {}}));
  Must(recorder->Ask({.tool_call = "call",
                      .question_id = "q",
                      .source = {SourceKind::kTool, "tool", {}},
                      .question = {.text = "Key?", .answer_type = {.kind = AnswerKind::kSecret}},
                      .escalated_from = {}}));
  recorder->Suspend();
}

TEST(SecretHandoverTest, AQuestionClosedByAPromisedSecretIsNotReportedWithoutIt) {
  const TempDir folder;
  const auto log = Must(OpenSegmentLog(folder / "store"));
  AskForSecret(*log);
  HeldLog held(*log);
  ObservedLog observed(held, [](const LogChange&) {});
  ServiceState state(observed, "test", folder / "sessions", {});
  state.rules.emplace("", Must(PublicAddress::Parse({}, {}, {})), state.sessions, state.tokens);
  const HttpRequest request{.method = "GET", .path = {}, .query = {}, .headers = {}, .body = {}, .local = true};
  Call call{request, {"a"}, Must(Query::Parse("inquiry=call.q.1&wait=60000&secret=true"))};
  const HttpResponse wait = Must(WaitForInquiry(state, call));
  wait.stream->OnWake([] {});
  held.HoldLookups();
  std::thread responder([&] { Must(RespondTo(state, Id("a"), Must(ReadAnswerBody(R"({"answer":"open sesame"})")))); });

  std::string piece;
  EXPECT_EQ(Must(wait.stream->Read(piece)), State::kIdle) << piece;
  held.Release();
  while (piece.empty() && Must(wait.stream->Read(piece)) == State::kIdle) std::this_thread::yield();
  wait.stream->Sent();
  responder.join();
  EXPECT_THAT(piece, testing::HasSubstr(R"("secret":"open sesame")"));
}

// No other test has this secret: memory that one has freed is allocated again, and may be freed before it is written.
TEST(SecretHandoverTest, NoPartOfASecretIsInMemoryThatIsFreed) {
  const TempDir folder;
  const auto log = Must(OpenSegmentLog(folder / "store"));
  AskForSecret(*log);
  ObservedLog observed(*log, [](const LogChange&) {});
  ServiceState state(observed, "test", folder / "sessions", {});
  state.rules.emplace("", Must(PublicAddress::Parse({}, {}, {})), state.sessions, state.tokens);
  const HttpRequest request{.method = "GET", .path = {}, .query = {}, .headers = {}, .body = {}, .local = true};
  Call call{request, {"a"}, Must(Query::Parse("inquiry=call.q.1&wait=60000&secret=true"))};
  const HttpResponse wait = Must(WaitForInquiry(state, call));
  wait.stream->OnWake([] {});
  std::string body, piece;
  body.reserve(8 << 10);  // so that this test leaves no part of it behind itself
  body += R"({"answer":")";
  for (int i = 0; i < 300; ++i) body += R"(garden gate\n)";
  body += "\"}";
  {
    const FreedMemoryWatch watch("garden ", "gate");
    std::thread responder([&] { Must(RespondTo(state, Id("a"), Must(ReadAnswerBody(body)))); });
    while (piece.empty() && Must(wait.stream->Read(piece)) == State::kIdle) std::this_thread::yield();
    wait.stream->Sent();
    responder.join();
    EXPECT_EQ(FreedMemoryWatch::found(), 0U);
  }
  EXPECT_THAT(piece, testing::HasSubstr(R"("secret":"garden gate\n)"));
}

}  // namespace
}  // namespace turnlog::secret_handover_test
