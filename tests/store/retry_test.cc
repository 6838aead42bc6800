// The recovery of turnlog/result.h after kIo and kNeedsReopen: reopen the store and append the same event_ids again;
// each event is there exactly once, whichever operation failed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/engine/event_log.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/temp_dir.h"

namespace turnlog::retry_test {
namespace {

constexpr std::size_t kEvents = 12;

std::string EventIdOf(std::size_t i) { return fmt::format("event {}", i); }

class RetryTest : public testing::Test {
 protected:
  Result<std::unique_ptr<EventLog>> Open() {
    return EventLog::Open(folder_ / "store", {.segment_bytes = 8 << 10}, {.files = &files_});
  }
  // Three at a time, alternately buffered and synced, from the beginning; stops at the first error.
  static Status AppendAll(Log& log, bool& failed_once) {
    const ConversationId conversation = *ConversationId::Parse("a");
    for (std::size_t i = 0; i < kEvents; i += 3) {
      std::vector<Event> events;
      for (std::size_t j = i; j < i + 3; ++j) {
        events.push_back({.body = ChatRequest{.content = std::string(900, 'x')}, .event_id = EventIdOf(j)});
      }
      const auto durability = i % 2 == 0 ? Durability::kBuffered : Durability::kSync;
      const auto result = log.Append(conversation, events, {.durability = durability});
      if (result) continue;
      failed_once = true;
      const ErrorCode code = result.error().code;
      EXPECT_TRUE(code == ErrorCode::kIo || code == ErrorCode::kNeedsReopen) << result.error().message;
      EXPECT_FALSE(log.Append(conversation, events)) << "not by the same handle";
      return std::unexpected(result.error());
    }
    return {};
  }
  static std::vector<std::string> EventIds(Log& log) {
    std::vector<std::string> ids;
    const auto cursor = log.ReadRaw(*ConversationId::Parse("a"));
    if (!cursor) return ids;
    for (;;) {
      const auto item = (*cursor)->Next();
      const auto* record = item ? std::get_if<Record>(&*item) : nullptr;
      if (record == nullptr) return ids;
      ids.emplace_back(*record->Decode()->event_id);
    }
  }

  TempDir folder_;
  FaultFileSystem files_{PosixFileSystem()};
};

TEST_F(RetryTest, EachEventIsThereOnceWhateverFailed) {
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < kEvents; ++i) expected.push_back(EventIdOf(i));
  for (const FaultMode mode : {FaultMode::kIoError, FaultMode::kNoSpace, FaultMode::kShortWrite}) {
    for (std::uint64_t n = 1, failures = 1; failures > 0; ++n) {
      SCOPED_TRACE(fmt::format("mode {}, n = {}", static_cast<int>(mode), n));
      std::filesystem::remove_all(folder_ / "store");
      bool failed_once = false;
      {
        auto log = Open();
        ASSERT_TRUE(log);
        files_.FailMutation(n, mode, FaultExtent::kFromThenOn);
        (void)AppendAll(**log, failed_once);
      }
      files_.Heal();
      failures = failed_once ? 1 : 0;
      auto log = Open();
      ASSERT_TRUE(log) << log.error().message;
      bool again = false;
      ASSERT_TRUE(AppendAll(**log, again));
      EXPECT_EQ(EventIds(**log), expected);
    }
  }
}

}  // namespace
}  // namespace turnlog::retry_test
