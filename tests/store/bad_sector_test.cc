// A bad sector in a segment is damage with a location. Its neighbours stay readable, and readers continue after
// it.
#include <gtest/gtest.h>

#include "store/engine/event_log.h"
#include "store/engine/verify.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/temp_dir.h"

namespace turnlog::bad_sector_test {
namespace {

constexpr std::uint64_t kEvents = 40;
constexpr std::uint64_t kBadOffset = 5 * 4096;
constexpr std::uint64_t kSector = 512;

class BadSectorTest : public testing::Test {
 protected:
  BadSectorTest() {
    const auto log = EventLog::Open(store_, {}, Environment{});
    for (std::uint64_t i = 0; i < kEvents; ++i) {
      EXPECT_TRUE((*log)->Append(conversation_, Event{.body = ChatRequest{.content = std::string(1'000, 'x')}}, {}));
    }
    EXPECT_TRUE((*log)->Close());
  }
  void Break(std::uint64_t offset, std::uint64_t length = kSector) {
    files_.BreakSector((store_ / "log" / SegmentName(0)).string(), offset, length);
  }
  // Without an index the whole log is read.
  void LoseIndex() { std::filesystem::remove_all(store_ / "index"); }

  struct Read {
    std::uint64_t records = 0;
    std::vector<Damage> damage;
  };
  template <class Source>
  static Read Drain(Source& source) {
    Read read;
    for (;;) {
      auto item = source.Next();
      EXPECT_TRUE(item) << item.error().message;
      if (!item || std::holds_alternative<EndOfLog>(*item)) return read;
      if (auto* damage = std::get_if<Damage>(&*item)) {
        read.damage.push_back(std::move(*damage));
      } else {
        ++read.records;
      }
    }
  }
  static void ExpectLocation(const Damage& damage) {
    EXPECT_EQ(damage.file, "log/" + SegmentName(0));
    EXPECT_LT(damage.offset, kBadOffset + kSector);
    EXPECT_GT(damage.offset + damage.length, kBadOffset);
  }

  TempDir folder_;
  const std::filesystem::path store_ = folder_ / "store";
  FaultFileSystem files_{PosixFileSystem()};
  const ConversationId conversation_ = *ConversationId::Parse("c");
};

TEST_F(BadSectorTest, ACursorReturnsTheNeighboursAndContinues) {
  Break(kBadOffset);
  const auto log = EventLog::Open(store_, {.mode = OpenMode::kRead}, {.files = &files_});
  ASSERT_TRUE(log) << log.error().message;
  for (const bool backward : {false, true}) {
    const auto cursor = (*log)->ReadRaw(conversation_, {.from = Seq{backward ? 0U : 1U}, .backward = backward});
    const Read read = Drain(**cursor);
    // The retried page contains parts of up to six records.
    EXPECT_GE(read.records, kEvents - 6);
    EXPECT_EQ(read.records + read.damage.size(), kEvents);
    bool named = false;
    for (const Damage& damage : read.damage) {
      EXPECT_GT(damage.seq, 0U);
      named = named || (damage.offset < kBadOffset + kSector && damage.offset + damage.length > kBadOffset);
    }
    EXPECT_TRUE(named);
  }
}

TEST_F(BadSectorTest, ATailContinuesAfterIt) {
  Break(kBadOffset);
  const auto log = EventLog::Open(store_, {.mode = OpenMode::kRead}, {.files = &files_});
  ASSERT_TRUE(log) << log.error().message;
  const auto tail = (*log)->Follow({}, {});
  const Read read = Drain(**tail);
  EXPECT_GE(read.records, kEvents - 6);
  ASSERT_FALSE(read.damage.empty());
  ExpectLocation(read.damage.front());
}

TEST_F(BadSectorTest, AReaderOpensOverItAndAWriterDoesNot) {
  LoseIndex();
  Break(kBadOffset);
  {
    const auto log = EventLog::Open(store_, {.mode = OpenMode::kRead}, {.files = &files_});
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ((*log)->Info(conversation_)->last.value, kEvents);
    ASSERT_FALSE((*log)->open_damage().empty());
    ExpectLocation((*log)->open_damage().front());
  }
  const auto refused = EventLog::Open(store_, {.mode = OpenMode::kWrite}, {.files = &files_});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCorruption);
}

TEST_F(BadSectorTest, VerifyNamesItAndGoesOn) {
  Break(kBadOffset);
  const auto report = VerifyStore(store_, {}, {.files = &files_});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->clean());
  EXPECT_GE(report->events, kEvents - 6);
  ASSERT_FALSE(report->damage.empty());
  ExpectLocation(report->damage.front());
}

// The log was not closed, and no later claim covers the last records.
TEST_F(BadSectorTest, AtTheEndItIsNoTear) {
  LoseIndex();
  const std::filesystem::path segment = store_ / "log" / SegmentName(0);
  const std::uint64_t end = std::filesystem::file_size(segment);
  std::filesystem::resize_file(segment, 1 << 20);
  Break(end - 600);
  const auto refused = EventLog::Open(store_, {.mode = OpenMode::kWrite}, {.files = &files_});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCorruption);
  EXPECT_EQ(std::filesystem::file_size(segment), 1U << 20) << "nothing has been cut";
}

TEST_F(BadSectorTest, OtherErrorsStayErrors) {
  const auto log = EventLog::Open(store_, {.mode = OpenMode::kRead}, {.files = &files_});
  ASSERT_TRUE(log) << log.error().message;
  const auto cursor = (*log)->ReadRaw(conversation_, {});
  files_.FailRead(1);
  const auto item = (*cursor)->Next();
  ASSERT_FALSE(item);
  EXPECT_EQ(item.error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace turnlog::bad_sector_test
