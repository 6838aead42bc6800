// Buffered appends are lost if the server crashes before it has written its log: who waits for them is told.
#include <csignal>

#include "tests/store/log_fixture.h"
#include "tests/support/postgres_server.h"
#include "turnlog/sql_log.h"

namespace turnlog::buffered_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr AppendOptions kBuffered{.durability = Durability::kBuffered, .expected_last = {}};

class BufferedTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
    server_ = std::make_unique<PostgresServer>(std::vector<std::string>{"wal_writer_delay=10s"});
    log_ = Must(OpenSqlLog(server_->Url()));
    Must(log_->Append(Id("a"), Say("durable")));
  }
  void TearDown() override { log_.reset(); }  // before the server, which it would wait for
  void Crash() {
    server_->Stop(SIGQUIT);
    server_->Start();
  }
  Ticket AppendBuffered(const Event& event) { return Must(log_->Append(Id("a"), event, kBuffered)).ticket; }
  std::string WaitFor(Ticket ticket) { return CodeOf(log_->Wait(ticket, Durability::kSync)); }
  std::uint64_t Last() { return Must(log_->Info(Id("a"))).last.value; }

  std::unique_ptr<PostgresServer> server_;
  std::unique_ptr<Log> log_;
};

TEST_F(BufferedTest, AfterWaitingTheyAreDurable) {
  const Ticket first = AppendBuffered(Say("1"));
  const Ticket second = AppendBuffered(Say("2"));
  EXPECT_EQ(WaitFor(first), "fine");
  EXPECT_EQ(WaitFor(second), "fine");
  Crash();
  EXPECT_EQ(Last(), 3U);
  EXPECT_EQ(WaitFor(first), "fine");
  EXPECT_EQ(CodeOf(log_->Wait({second.handle + 640'000}, Durability::kSync)), "invalid argument");
}

TEST_F(BufferedTest, WaitingTellsThatTheyAreLost) {
  const Ticket ticket = AppendBuffered(Say("lost"));
  Crash();
  const Status waited = log_->Wait(ticket, Durability::kSync);
  ASSERT_EQ(Last(), 1U);
  EXPECT_EQ(CodeOf(waited), "i/o error");
  EXPECT_THAT(waited.error().message, HasSubstr("append again"));
  EXPECT_EQ(WaitFor(ticket), "i/o error");  // also if asked again
}

// It has the seq of the lost one, and the same lane.
TEST_F(BufferedTest, ALaterAppendDoesNotSpeakForALostOne) {
  const Ticket lost = AppendBuffered(Say("lost"));
  Crash();
  const Ticket kept = AppendBuffered(Say("kept"));
  ASSERT_EQ(Last(), 2U);
  EXPECT_EQ(WaitFor(kept), "fine");
  EXPECT_EQ(WaitFor(lost), "i/o error");
}

// A repeated append is only as durable as the one that it repeats.
TEST_F(BufferedTest, ARepeatedAppendIsLostWithTheFirstOne) {
  (void)AppendBuffered(Named("e", Say("lost")));
  const auto other = Must(OpenSqlLog(server_->Url()));
  const auto repeated = Must(other->Append(Id("a"), Named("e", Say("lost")), kBuffered));
  EXPECT_TRUE(repeated.events.front().repeated);
  Crash();
  EXPECT_EQ(CodeOf(other->Wait(repeated.ticket, Durability::kSync)), "i/o error");
}

TEST_F(BufferedTest, ACheckpointTellsOnceThatTheyAreLost) {
  (void)AppendBuffered(Say("lost"));
  Crash();
  EXPECT_EQ(CodeOf(log_->Checkpoint()), "i/o error");
  EXPECT_EQ(CodeOf(log_->Checkpoint()), "fine");
}

// A tail that has read them cannot go on as if nothing had happened: other events are in their place.
TEST_F(BufferedTest, AnOpenTailTellsThatTheyAreLost) {
  const auto all = Must(log_->Follow({})), one = Must(log_->Follow({}, Id("a")));
  for (const char* text : {"lost 1", "lost 2", "lost 3"}) (void)AppendBuffered(Say(text));
  EXPECT_THAT(TailLines(*all), testing::SizeIs(4));
  EXPECT_THAT(TailLines(*one), testing::SizeIs(4));
  Crash();
  ASSERT_EQ(Last(), 1U);
  // Until there are as many as it has read, it may be a standby that is behind.
  for (const char* text : {"2", "3"}) Must(log_->Append(Id("a"), Say(text)));
  EXPECT_EQ(CodeOf(all->Wait(0ms)), "fine");
  Must(log_->Append(Id("a"), Say("4")));
  EXPECT_EQ(CodeOf(all->Next()), "conflict");
  EXPECT_EQ(CodeOf(one->Next()), "conflict");
  Must(log_->Append(Id("a"), Say("5")));
  EXPECT_EQ(CodeOf(all->Next()), "conflict");
  EXPECT_EQ(CodeOf(one->Next()), "conflict");
}

TEST_F(BufferedTest, ACheckpointThatFailsForgetsNothing) {
  const auto log = Must(OpenSqlLog(server_->Url(), {.patience = 50ms}));
  Must(log->Append(Id("b"), Say("lost"), kBuffered));
  server_->Stop(SIGQUIT);
  EXPECT_EQ(CodeOf(log->Checkpoint()), "i/o error");
  server_->Start();
  EXPECT_EQ(CodeOf(log->Checkpoint()), "i/o error");
  EXPECT_EQ(CodeOf(log->Info(Id("b"))), "not found");
}

}  // namespace
}  // namespace turnlog::buffered_test
