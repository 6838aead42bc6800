// Appends of several threads in one request.
#include "remote/append_batch.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <new>
#include <thread>

#include "log/forwarding_log.h"
#include "remote/append_queue.h"
#include "remote/problem.h"
#include "remote/service_client.h"
#include "service/observed_log.h"
#include "tests/service/service_fixture.h"

namespace turnlog::append_batch_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::string Encoded(const char* conversation, const Event& event, std::optional<Seq> expected = {}) {
  const EventView view = View(event);
  const SecretString bytes = Must(EncodeAppend(Id(conversation), std::span(&view, 1), expected));
  return std::string(bytes.view());
}

std::string Text(const Result<AppendResult>& outcome) {
  if (!outcome) return CodeOf(outcome);
  std::string text;
  for (const AppendedEvent& event : outcome->events) {
    text += fmt::format("{}{}{}", event.seq.value, event.repeated ? "r" : "", event.redacted ? "x" : "");
  }
  return text;
}

std::vector<std::string> Texts(const std::vector<Result<AppendResult>>& outcomes) {
  std::vector<std::string> texts;
  for (const auto& outcome : outcomes) texts.push_back(Text(outcome));
  return texts;
}

TEST(AppendBatchTest, OutcomesAreReadAsTheyWereWritten) {
  std::string bytes;
  AddOutcome({.events = {{{7}, false, false}, {{3}, true, false}, {{4}, true, true}}, .ticket = {}}, bytes);
  AddProblem(409, ToProblem(Error{ErrorCode::kConflict, "odd", 12}), bytes);
  AddOutcome({}, bytes);
  const auto outcomes = Must(ReadOutcomes(bytes));
  EXPECT_THAT(Texts(outcomes), ElementsAre("73r4rx", "conflict", ""));
  EXPECT_EQ(outcomes[1].error().last_seq, 12U);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = ReadOutcomes(std::string_view(bytes).substr(0, size));
    EXPECT_TRUE(!cut || cut->size() < 3) << size;
  }
}

TEST(AppendBatchTest, AnOutcomeThatIsCutOffIsAnError) {
  std::string bytes;
  AddOutcome({.events = {{{7}, false, false}}, .ticket = {}}, bytes);
  bytes.resize(bytes.size() - 8);
  bytes[8] = 8;  // the length that it says
  EXPECT_THAT(Texts(Must(ReadOutcomes(bytes))), ElementsAre("i/o error"));
}

TEST(AppendBatchTest, TooManyAppendsAreRefused) {
  const std::string empty(32, '\0');  // an append of nothing to a conversation without a name
  std::string bytes;
  for (int i = 0; i < 32'768; ++i) bytes += empty;
  EXPECT_EQ(Must(SplitAppends(bytes)).size(), 32'768U);
  EXPECT_EQ(CodeOf(SplitAppends(bytes + empty)), "invalid argument");
}

TEST(AppendBatchTest, AppendsAreSplitAsTheyWereJoined) {
  const std::string first = Encoded("a", Say("1")), second = Encoded("long/conversation", Say("2"), Seq{5});
  const std::string both = first + second;
  const auto appends = Must(SplitAppends(both));
  ASSERT_EQ(appends.size(), 2U);
  EXPECT_EQ(appends[0].conversation, "a");
  EXPECT_EQ(appends[0].expected_last, std::nullopt);
  EXPECT_EQ(appends[1].conversation, "long/conversation");
  EXPECT_EQ(appends[1].expected_last, Seq{5});
  for (std::size_t size = 1; size < first.size(); ++size) {
    EXPECT_EQ(CodeOf(SplitAppends(first.substr(0, size))), "invalid argument") << size;
  }
}

class AppendManyTest : public ServiceTest {
 protected:
  std::vector<std::string> Send(const std::string& body, const std::vector<HttpHeader>& headers = {}) {
    const Reply reply = ServiceTest::Send("POST", "/v1/appends", body, headers);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return Texts(Must(ReadOutcomes(reply.body)));
  }
};

TEST_F(AppendManyTest, EachHasItsOwnOutcome) {
  Event named = Say("4");
  named.event_id = "e";
  Must(service_->log().Append(Id("b"), named));
  std::string wrong = Encoded("c", Say("5"));
  wrong[48] = static_cast<char>(wrong[48] ^ 0x7f);  // within the encoded event
  EXPECT_THAT(Send(Encoded("a", Say("1")) + Encoded("a", Say("2"), Seq{7}) + wrong + Encoded("b", named) +
                   Encoded("a", Say("3"), Seq{1})),
              ElementsAre("1", "conflict", "invalid argument", "1r", "2"));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 3"));
  EXPECT_EQ(CodeOf(log_->Info(Id("c"))), "not found");
}

TEST_F(AppendManyTest, SentAgainIsDoneOnce) {
  const std::string body = Encoded("a", Say("1")) + Encoded("b", Say("2"), Seq{9});
  const std::vector<HttpHeader> key{{std::string(kWriteHeader), "lane/1"}};
  EXPECT_THAT(Send(body, key), ElementsAre("1", "conflict"));
  EXPECT_THAT(Send(body, key), ElementsAre("1", "conflict"));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
}

// To a service that was restarted: each is found in the log by what it has, or refused.
TEST_F(AppendManyTest, AfterARestartEachIsLookedUp) {
  Event named = Say("1");
  named.event_id = "e";
  const std::string body = Encoded("a", named) + Encoded("b", Say("2"), Seq{0}) + Encoded("c", Say("3"));
  Must(service_->log().Append(Id("a"), named));
  Must(service_->log().Append(Id("b"), Say("2")));
  EXPECT_THAT(Send(body, {{std::string(kWriteHeader), "lane/1"}, {std::string(kRetryHeader), "another"}}),
              ElementsAre("1r", "1", "i/o error"));
  EXPECT_THAT(Lines(*log_, "b"), ElementsAre("1 0 2"));
  EXPECT_EQ(CodeOf(log_->Info(Id("c"))), "not found");
}

TEST_F(AppendManyTest, OtherBodiesAreRefused) {
  for (const std::string& body : {std::string("x"), std::string(32, '\xff'), Encoded("a", Say("1")).substr(8)}) {
    EXPECT_EQ(ServiceTest::Send("POST", "/v1/appends", body).status, 400);
  }
  EXPECT_THAT(Send(""), IsEmpty());
}

TEST_F(AppendManyTest, WakesThoseThatWaitForAnyOfTheConversations) {
  const auto remote = OpenRemote();
  const auto tail = Must(remote->Follow({}, Id("b")));
  std::thread sender([&] { Send(Encoded("a", Say("1")) + Encoded("b", Say("2"))); });
  while (!Must(tail->Wait(std::chrono::seconds(60)))) {
  }
  EXPECT_TRUE(std::holds_alternative<Record>(Must(tail->Next())));
  sender.join();
}

// An engine that cannot append without waiting.
class WaitingLog : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;
  Capabilities capabilities() const override { return {}; }
  Result<AppendResult> AppendLater(const ConversationId&, std::span<const EventView>, const AppendOptions&) override {
    return std::unexpected(Error{ErrorCode::kUnsupported, "it waits"});
  }
};

TEST_F(AppendManyTest, ALogThatAlwaysWaitsGetsThemOneAfterAnother) {
  WaitingLog waiting(*log_);
  std::vector<std::string> changed;
  ObservedLog observed(waiting, [&](const LogChange& change) { changed.emplace_back(change.conversation.text()); });
  EXPECT_FALSE(observed.combines_appends());
  const Event event = Say("1");
  const std::vector<AppendRequest> appends{{Id("a"), {View(event)}, Seq{0}}, {Id("a"), {View(event)}, Seq{0}}};
  EXPECT_THAT(Texts(observed.AppendAll(appends, Durability::kSync)), ElementsAre("1", "conflict"));
  EXPECT_THAT(changed, ElementsAre("a"));
}

// While two requests are on their way, all further appends wait for the next one.
TEST(AppendQueueTest, WhatComesMeanwhileGoesTogether) {
  constexpr std::size_t kWaiting = 10;
  std::mutex mutex;
  std::vector<std::size_t> sizes;
  std::latch sent(2), go_on(1);
  std::atomic<int> requests = 0;
  AppendQueue::Time last_since;
  AppendQueue queue([&](std::span<const std::string_view> appends, AppendQueue::Time since) {
    {
      const std::scoped_lock lock(mutex);
      sizes.push_back(appends.size());
      last_since = since;
    }
    if (++requests <= 2) sent.count_down(), go_on.wait();
    AppendQueue::Outcomes outcomes;
    for (const std::string_view append : appends) {
      outcomes.push_back(AppendResult{.events = {{{std::stoull(std::string(append))}, false, false}}, .ticket = {}});
    }
    return outcomes;
  });
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  const auto append = [&](std::size_t number) {
    threads.emplace_back(
        [&, number] { right += Text(queue.Append(std::to_string(number))) == std::to_string(number); });
  };
  append(1), append(2);
  sent.wait();
  for (std::size_t i = 0; i < kWaiting; ++i) append(10 + i);
  while (queue.waiting() < kWaiting) std::this_thread::yield();
  const auto all_waited = std::chrono::steady_clock::now();
  go_on.count_down();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 12);
  EXPECT_THAT(sizes, ElementsAre(1, 1, kWaiting));
  EXPECT_LE(last_since, all_waited);  // the time in the queue counts
}

// Of what waits, each request takes as much as its limit allows; a large append goes at once, by itself.
TEST(AppendQueueTest, LargeAppendsGoAloneAndRequestsHaveALimit) {
  std::mutex mutex;
  std::vector<std::size_t> sizes;
  std::latch sent(2), go_on(1);
  std::atomic<int> requests = 0;
  AppendQueue queue([&](std::span<const std::string_view> appends, AppendQueue::Time) {
    if (++requests <= 2) {
      sent.count_down(), go_on.wait();
    } else {
      const std::scoped_lock lock(mutex);
      sizes.push_back(appends.size());
    }
    return AppendQueue::Outcomes(appends.size(), AppendResult{.events = {{Seq{1}, false, false}}, .ticket = {}});
  });
  std::vector<std::thread> threads;
  const std::string small = "x", quarter(1 << 18, 'x'), large(quarter.size() + 1, 'x');
  const auto append = [&](const std::string& bytes) { threads.emplace_back([&] { Must(queue.Append(bytes)); }); };
  append(small), append(small);
  sent.wait();
  Must(queue.Append(large));  // while both requests are on their way
  EXPECT_THAT(sizes, ElementsAre(1));
  for (int i = 0; i < 5; ++i) append(quarter);
  while (queue.waiting() < 5) std::this_thread::yield();
  go_on.count_down();
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(sizes, UnorderedElementsAre(1, 4, 1));
}

TEST(AppendQueueTest, AFailedRequestFailsAllOfIts) {
  AppendQueue queue([](std::span<const std::string_view> appends, AppendQueue::Time) {
    return AppendQueue::Outcomes(appends.size(), std::unexpected(Error{ErrorCode::kIo, "lost"}));
  });
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int i = 0; i < 20; ++i) threads.emplace_back([&] { failed += CodeOf(queue.Append("x")) == "i/o error"; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 20);
}

TEST(AppendQueueTest, PatienceBeganWhenTheAppendCame) {
  const TempDir folder;
  const std::chrono::hours patience(1);
  ServiceClient client(
      {.address = {.path = folder / "nothing", .host = {}}, .web = {}, .tls = {}, .token = {}, .patience = patience});
  const HttpCall call{.method = "POST", .target = "/v1/appends", .headers = {}, .body = {}};
  EXPECT_EQ(CodeOf(client.Write(call, std::chrono::steady_clock::now() - patience)), "i/o error");
}

TEST(AppendQueueTest, ARequestThatThrowsLeavesNoneWaiting) {
  std::latch sent(2), go_on(1);
  std::atomic<int> requests = 0, failed = 0;
  AppendQueue queue([&](std::span<const std::string_view>, AppendQueue::Time) -> AppendQueue::Outcomes {
    const int number = ++requests;
    if (number <= 2) sent.count_down(), go_on.wait();
    if (number <= 3) throw std::bad_alloc();
    return {AppendResult{.events = {{Seq{1}, false, false}}, .ticket = {}}};
  });
  std::vector<std::thread> threads;
  const auto append = [&] {
    threads.emplace_back([&] {
      try {
        failed += CodeOf(queue.Append("x")) == "i/o error";
      } catch (const std::bad_alloc&) {
        ++failed;
      }
    });
  };
  append(), append();
  sent.wait();
  for (int i = 0; i < 10; ++i) append();
  while (queue.waiting() < 10) std::this_thread::yield();
  go_on.count_down();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 12);
  EXPECT_EQ(Text(queue.Append("x")), "1");
}

// Its appends wait until they may go on; checkpoints do not.
class HeldLog : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;
  Capabilities capabilities() const override {
    Capabilities capabilities = log_.capabilities();
    capabilities.appends_later = combines;
    return capabilities;
  }
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                              const AppendOptions& options) override {
    Hold();
    return ForwardingLog::Append(conversation, events, options);
  }
  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                   const AppendOptions& options) override {
    Hold();
    return ForwardingLog::AppendLater(conversation, events, options);
  }
  Status SetWatermark(std::string_view consumer, const ConversationId& conversation,
                      const Watermark& watermark) override {
    Hold();
    return ForwardingLog::SetWatermark(consumer, conversation, watermark);
  }
  Status Checkpoint() override {
    ++checkpoints;
    return ForwardingLog::Checkpoint();
  }

  bool combines = true;
  std::latch arrived{1}, go_on{1};
  std::atomic<int> checkpoints = 0;

 private:
  void Hold() { arrived.count_down(), go_on.wait(); }
};

class CloseTest : public ServiceTest {
 protected:
  // Checkpoints of a Close after a write that another thread's checkpoint has overtaken.
  int CheckpointsOfClose(bool combines, const std::function<void(Log&)>& write) {
    service_->Stop();
    service_.reset();
    HeldLog held(*log_);
    held.combines = combines;
    service_ = Must(Service::Start(held, options_));
    const auto remote = OpenRemote();
    std::thread writer([&] { write(*remote); });
    held.arrived.wait();
    Must(remote->Checkpoint());
    held.go_on.count_down();
    writer.join();
    const int before = held.checkpoints;
    Must(remote->Close());
    const int made = held.checkpoints - before;
    service_->Stop();
    service_.reset();
    service_ = Must(Service::Start(*log_, options_));
    return made;
  }
};

TEST_F(CloseTest, WhatACheckpointHasOvertakenBecomesDurable) {
  const auto append = [](Log& log) { Must(log.Append(Id("a"), Say("1"), {.durability = Durability::kBuffered})); };
  EXPECT_EQ(CheckpointsOfClose(true, append), 1);
  EXPECT_EQ(CheckpointsOfClose(false, append), 1);
  EXPECT_EQ(CheckpointsOfClose(true, [](Log& log) { Must(log.SetWatermark("reader", Id("a"), {})); }), 1);
}

class RemoteWritersTest : public ServiceTest {};

TEST_F(RemoteWritersTest, ThreadsOfOneClientGetTheirOwnOutcomes) {
  constexpr int kThreads = 16, kEach = 40;
  const auto remote = OpenRemote();
  std::vector<std::thread> threads;
  std::atomic<int> conflicts = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const ConversationId conversation = Id("c" + std::to_string(thread));
      for (int i = 0; i < kEach; ++i) {
        const Seq last{static_cast<std::uint64_t>(i)};
        const auto durability = (i + thread) % 3 == 0 ? Durability::kBuffered : Durability::kSync;
        const auto done = remote->Append(conversation, Say(std::to_string(i)), {durability, last});
        ASSERT_TRUE(done) << done.error().message;
        EXPECT_EQ(done->events.front().seq.value, last.value + 1);
        conflicts += CodeOf(remote->Append(conversation, Say("odd"), {durability, last})) == "conflict";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(conflicts, kThreads * kEach);
  for (int thread = 0; thread < kThreads; ++thread) {
    EXPECT_EQ(Lines(*log_, "c" + std::to_string(thread)).size(), static_cast<std::size_t>(kEach));
  }
}

}  // namespace
}  // namespace turnlog::append_batch_test
