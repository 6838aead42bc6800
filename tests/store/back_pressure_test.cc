// Appends with a stalled checkpoint: the test stops the index's files at a gate.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "store/engine/event_log.h"
#include "tests/support/gated_rocks_files.h"
#include "tests/support/no_retry_env.h"
#include "tests/support/temp_dir.h"

namespace turnlog::back_pressure_test {
namespace {

constexpr std::uint64_t kCheckpointBytes = 1 << 20;
constexpr std::uint64_t kEventBytes = 64 << 10;
constexpr std::uint64_t kMost = 4 * kCheckpointBytes + 4 * kEventBytes;  // not covered by a checkpoint

class BackPressureTest : public testing::Test {
 protected:
  ~BackPressureTest() override { files_->tables.Open(); }

  // Appends until something fails or `bytes` are appended.
  auto AppendInAnotherThread(std::uint64_t bytes) {
    return std::async(std::launch::async, [=, this] {
      const Event event{.body = ChatRequest{.content = std::string(kEventBytes, 'x')}};
      const ConversationId conversation = *ConversationId::Parse("a");
      while (appended_ < bytes) {
        Log& log = *log_;
        const auto result = log.Append(conversation, event, {.durability = Durability::kBuffered});
        if (!result) return result.error().code;
        appended_ += kEventBytes;
      }
      return ErrorCode::kNotFound;
    });
  }
  void AwaitHeldBack() {
    while (log_->held_back() == 0) std::this_thread::yield();
  }

  TempDir folder_;
  std::shared_ptr<GatedRocksFiles> files_ = std::make_shared<GatedRocksFiles>();
  NoRetryEnv index_env_{files_};
  std::unique_ptr<EventLog> log_ =
      *EventLog::Open(folder_ / "store", {.checkpoint_bytes = kCheckpointBytes}, {.index = &index_env_});
  std::atomic<std::uint64_t> appended_ = 0;
};

TEST_F(BackPressureTest, AppendsWaitForTheCheckpointWhenTooMuchIsUnwritten) {
  files_->tables.Close();
  auto appender = AppendInAnotherThread(3 * kMost);
  AwaitHeldBack();
  EXPECT_GE(appended_, kCheckpointBytes);
  EXPECT_LE(appended_, kMost);
  EXPECT_EQ((*log_->index())->meta().checkpoint, 0U);
  EXPECT_TRUE(log_->Info(*ConversationId::Parse("a"))) << "reading goes on";
  files_->tables.Open();
  EXPECT_EQ(appender.get(), ErrorCode::kNotFound);
  EXPECT_GE(appended_, 3 * kMost);
}

TEST_F(BackPressureTest, AFailedCheckpointEndsTheWait) {
  files_->tables.Close();
  auto appender = AppendInAnotherThread(UINT64_MAX);
  AwaitHeldBack();
  files_->tables.FailFromNowOn();
  files_->tables.Open();
  EXPECT_EQ(appender.get(), ErrorCode::kNeedsReopen);
  EXPECT_LE(appended_, kMost);
}

}  // namespace
}  // namespace turnlog::back_pressure_test
