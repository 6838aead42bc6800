// Rebuilding the index while many threads use the log.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "tests/store/log_fixture.h"
#include "turnlog/maintenance.h"

namespace turnlog::reindex_threads_test {
namespace {

using std::chrono::milliseconds;

constexpr int kWriters = 4, kRebuilds = 5;

class ReindexThreadsTest : public LogTest {
 protected:
  ReindexThreadsTest() {
    Close();
    log_ =
        Must(OpenSegmentLog(path(), {.holder = "threads", .segment_bytes = 16 << 10, .checkpoint_bytes = 256 << 10}));
  }

  void Write(int writer) {
    std::mt19937_64 random(static_cast<std::uint64_t>(writer));
    for (int i = 0; rebuilds_ < kRebuilds; ++i) {
      const std::string name = i % 2 == 0 ? fmt::format("own {}", writer) : fmt::format("shared {}", i % 5);
      const std::vector<Event> events{random() % 4 == 0 ? NewTurn() : Say(std::string(random() % 300, '.')),
                                      Named(fmt::format("{} {}", writer, i), Ask(Opaque("i")))};
      const Seq last = Must(Append(name, events, {.durability = Durability::kBuffered})).events.back().seq;
      EXPECT_TRUE(Must(Append(name, events.back())).events[0].repeated);
      Must(log_->SetWatermark("test", Id(name), {last, "state"}));
      appended_ += 2;
    }
  }
  void Read() {
    while (writing_ > 0) {
      for (const ConversationInfo& info : Must(log_->List("", 100))) {
        const bool backward = reads_++ % 2 == 0;
        const auto cursor = Must(log_->ReadRaw(Id(info.id), {.from = {backward ? 0U : 1U}, .backward = backward}));
        std::uint64_t events = 0;
        for (Item item = Must(cursor->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(cursor->Next())) {
          ASSERT_FALSE(std::holds_alternative<Damage>(item)) << Line(item);
          ++events;
        }
        ASSERT_GE(events, info.last.value);
        ASSERT_FALSE(info.id != "erased" && Must(log_->FindInquiry(Id(info.id), {.text = "i", .key = {}})).empty());
        (void)Must(log_->FindWatermark("test", Id(info.id)));
      }
      (void)Must(log_->ListChanged("test", "", 100));
      (void)Must(log_->Pending({}));
    }
  }
  void Follow() {
    const auto tail = Must(log_->Follow({}));
    std::map<std::string, std::uint64_t> last;
    for (bool more = true; more;) {
      more = writing_ > 0 || erasing_;  // both append
      if (!more) Must(log_->Checkpoint());
      for (Item item = Must(tail->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(tail->Next())) {
        ASSERT_FALSE(std::holds_alternative<Damage>(item)) << Line(item);
        ++tailed_;
        const auto* record = std::get_if<Record>(&item);
        const std::string name(record != nullptr ? record->conversation : std::get<Erased>(item).conversation);
        ASSERT_EQ((record != nullptr ? record->seq : std::get<Erased>(item).seq).value, ++last[name]);
      }
      if (more) (void)Must(tail->Wait(milliseconds(5)));
    }
  }
  void Erase() {
    for (std::uint64_t seq = 1; writing_ > 0; ++seq) {
      if (const auto erased = log_->Erase(Id("erased"), std::vector{Seq{seq}}); !erased) {
        ASSERT_EQ(CodeOf(erased), "not found");
        Must(Append("erased", {Say("1"), Say("2")}));
        appended_ += 2;
        --seq;
      }
      AwaitAppends(20);
    }
  }
  // Returns when so many more events are appended, or the writers are done.
  void AwaitAppends(std::uint64_t count) {
    for (const std::uint64_t until = appended_ + count; writing_ > 0 && appended_ < until;) std::this_thread::yield();
  }

  std::atomic<int> writing_ = kWriters, rebuilds_ = 0, reads_ = 0;
  std::atomic<bool> erasing_ = true;
  std::atomic<std::uint64_t> appended_ = 0, tailed_ = 0;
};

TEST_F(ReindexThreadsTest, AppendsReadsTailsAndErasuresGoOn) {
  {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < kWriters; ++writer) {
      threads.emplace_back([this, writer] {
        Write(writer);
        --writing_;
      });
    }
    threads.emplace_back([this] { Read(); });
    threads.emplace_back([this] { Follow(); });
    threads.emplace_back([this] {
      Erase();
      erasing_ = false;
    });
    threads.emplace_back([this] {
      for (; writing_ > 0; AwaitAppends(100)) Must(log_->Checkpoint());
    });
    for (; rebuilds_ < kRebuilds; ++rebuilds_) EXPECT_TRUE(Must(ReindexLog(*log_)));
  }
  EXPECT_EQ(Must(log_->Stats()).events, appended_);
  EXPECT_EQ(tailed_, appended_);
  for (const ConversationInfo& info : Must(log_->List("", 100))) {
    EXPECT_EQ(Must(log_->FindWatermark("test", Id(info.id))).has_value(), info.id != "erased") << info.id;
  }
  EXPECT_TRUE(Must(VerifyStore(path())).clean());
  ReopenAfterCrash();
  EXPECT_EQ(Must(log_->Stats()).events, appended_);
  Close();
  const VerifyReport report = Must(VerifyStore(path()));
  EXPECT_TRUE(report.clean()) << testing::PrintToString(report.index_differences);
  EXPECT_EQ(report.events, appended_);
}

TEST_F(ReindexThreadsTest, CloseEndsIt) {
  for (int i = 0; i < 4000; ++i) Must(Append("a", {Say("x"), Say(std::string(100, 'y'))}));
  std::atomic<bool> begun = false;
  const auto begin = [&] {
    begun = true;
    begun.notify_one();
    return false;
  };
  std::jthread rebuilding([&] {
    for (;;) {
      const auto rebuilt = ReindexLog(*log_, {.stop = begin});
      if (rebuilt) continue;
      EXPECT_EQ(CodeOf(rebuilt), "needs reopening");
      return;
    }
  });
  begun.wait(false);
  Must(log_->Close());
  rebuilding.join();
  log_.reset();
  EXPECT_TRUE(Must(VerifyStore(path())).clean());
}

}  // namespace
}  // namespace turnlog::reindex_threads_test
