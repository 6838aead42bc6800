// Records that end on the border of a segment, or just before it; events larger than a segment; appends over several.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "schema/event/codec.h"
#include "store/engine/event_log.h"
#include "store/segments/frame.h"
#include "store/segments/segment.h"
#include "tests/support/copy_store.h"
#include "tests/support/temp_dir.h"
#include "turnlog/maintenance.h"

namespace turnlog::segment_border_test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSegmentBytes = 8 << 10;
const SegmentOptions kOptions{.segment_bytes = kSegmentBytes, .checkpoint_bytes = 1 << 20};

Event Message(std::size_t length) {
  return {.body = BasicChatResponse<std::string>{.content = std::string(length, 'm')}};
}

std::uint64_t FrameBytesOf(const Event& event) {
  static EventEncoder encoder;
  return FrameBytes(encoder.Encode(View(event)).size());
}

// A message whose frame has exactly this many bytes.
Event MessageOfFrame(std::uint64_t frame_bytes) {
  std::size_t length = frame_bytes > 200 ? frame_bytes - 200 : 0;
  while (FrameBytesOf(Message(length)) < frame_bytes) ++length;
  EXPECT_EQ(FrameBytesOf(Message(length)), frame_bytes);
  return Message(length);
}

class SegmentBorderTest : public testing::Test {
 protected:
  void SetUp() override { Open(); }

  void Open() {
    log_.reset();
    auto log = EventLog::Open(store_, kOptions, Environment{});
    ASSERT_TRUE(log) << log.error().message;
    log_ = *std::move(log);
  }

  void Append(const std::vector<Event>& events) {
    const auto result = static_cast<Log&>(*log_).Append(id_, events, {.durability = Durability::kBuffered});
    ASSERT_TRUE(result) << result.error().message;
    appended_.insert(appended_.end(), events.begin(), events.end());
  }

  std::uint64_t EndOffset() const { return log_->Stats()->Figure("end_offset").value(); }

  // Bytes left in the current segment.
  std::uint64_t Room() {
    const std::uint64_t end = EndOffset();
    for (const SegmentExtent& extent : log_->segments()->all()) {
      if (extent.base < end && end <= extent.end()) return extent.end() - end;
    }
    return 0;
  }

  // Fills the segment up to `rest` bytes before its end.
  void FillUpTo(std::uint64_t rest) {
    if (Room() < rest + 1'000) Append({Message(6'000)});  // goes to a segment of its own
    if (Room() < rest + 1'000) Append({Message(10)});
    ASSERT_GE(Room(), rest + 1'000);
    Append({MessageOfFrame(Room() - rest)});
    ASSERT_EQ(Room(), rest);
  }

  void ExpectAllThere() {
    EventEncoder encoder;
    const auto cursor = log_->ReadRaw(id_, {});
    ASSERT_TRUE(cursor) << cursor.error().message;
    const auto tail = log_->Follow({}, {});
    ASSERT_TRUE(tail) << tail.error().message;
    for (std::size_t i = 0; i < appended_.size(); ++i) {
      const std::string expected(encoder.Encode(View(appended_[i])));
      for (const auto& item : {(*cursor)->Next(), (*tail)->Next()}) {
        ASSERT_TRUE(item) << item.error().message;
        const auto* record = std::get_if<Record>(&*item);
        ASSERT_NE(record, nullptr) << "event " << i + 1 << " of " << appended_.size();
        ASSERT_EQ(record->seq.value, i + 1);
        ASSERT_TRUE(record->payload == expected);
      }
    }
    EXPECT_TRUE(std::holds_alternative<EndOfLog>(*(*cursor)->Next()));
    EXPECT_TRUE(std::holds_alternative<EndOfLog>(*(*tail)->Next()));
  }

  // In the open log; after a crash now, with its index and without; and the same after closing.
  void ExpectAllThereForEver() {
    ExpectAllThere();
    const fs::path live = store_;
    ASSERT_TRUE(log_->Wait({EndOffset()}, Durability::kSync));
    for (const bool with_index : {true, false}) {
      store_ = folder_ / "crashed";
      fs::remove_all(store_);
      CopyStore(live, store_);
      if (!with_index) fs::remove_all(store_ / "index");
      auto kept = std::move(log_);
      Open();
      ExpectAllThere();
      log_ = std::move(kept);
      ExpectClean();
    }
    store_ = live;
    Open();
    ExpectAllThere();
    log_.reset();
    ExpectClean();
    ASSERT_TRUE(ReindexStore(store_));
    Open();
    ExpectAllThere();
  }

  void ExpectClean() {
    const auto report = VerifyStore(store_);
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damage) ADD_FAILURE() << ToString(damage);
    for (const std::string& difference : report->index_differences) ADD_FAILURE() << difference;
    EXPECT_EQ(report->events, appended_.size());
  }

  const ConversationId id_ = *ConversationId::Parse("c");
  TempDir folder_;
  fs::path store_ = folder_ / "store";
  std::unique_ptr<EventLog> log_;
  std::vector<Event> appended_;
};

// With 32 bytes left there is room for a seal, with less there is not.
class RestOfASegment : public SegmentBorderTest, public testing::WithParamInterface<std::uint64_t> {};

TEST_P(RestOfASegment, IsSteppedOver) {
  Append({Message(5)});
  FillUpTo(GetParam());
  ExpectAllThereForEver();
  Append({Message(900)});
  Append({Message(5)});
  ExpectAllThereForEver();
}

TEST_P(RestOfASegment, IsSteppedOverWithinAnAppend) {
  Append({Message(5)});
  const std::uint64_t room = Room();
  std::vector<Event> events{MessageOfFrame(room - 1'000), MessageOfFrame(1'000 - GetParam())};
  for (int i = 0; i < 3; ++i) {
    events.push_back(MessageOfFrame(kSegmentBytes - kSegmentHeaderBytes - GetParam()));
    events.push_back(Message(3'000));
    events.push_back(Message(1));
  }
  Append(events);
  ExpectAllThereForEver();
}

TEST_P(RestOfASegment, IsUsedAfterReopening) {
  Append({Message(5)});
  FillUpTo(GetParam());
  Open();
  Append({Message(5)});
  Open();
  Append({Message(900)});
  ExpectAllThereForEver();
}

INSTANTIATE_TEST_SUITE_P(Bytes, RestOfASegment, testing::Range<std::uint64_t>(0, 73, 8));

TEST_F(SegmentBorderTest, ManyBordersInARow) {
  Append({Message(5)});
  for (std::uint64_t i = 0; i < 40; ++i) {
    FillUpTo(i % 7 * 8);
    if (i % 3 == 0) Append({Message(20), Message(3'500), Message(20)});
  }
  ExpectAllThereForEver();
}

// Its segment has exactly the size needed; with sizes around whole pages very little room is left after it.
TEST_F(SegmentBorderTest, EventsLargerThanASegment) {
  for (std::uint64_t over = 0; over <= 80; over += 8) {
    Append({MessageOfFrame(5 * 4096 - kFrameHeaderBytes - 40 + over)});
    Append({Message(1)});
  }
  Append({Message(300'000), Message(1), Message(200'000)});
  ExpectAllThereForEver();
}

TEST_F(SegmentBorderTest, AnAppendOverManySegments) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < 60; ++i) events.push_back(Message(i * 131 % 3'900));
  Append(events);
  ExpectAllThereForEver();
}

TEST_F(SegmentBorderTest, AFirstSegmentWithNothingInIt) {
  log_.reset();
  const StoreIdentity identity = *ReadIdentity(PosixFileSystem(), {store_});
  for (const std::uint64_t size : {kSegmentBytes, 5 * kSegmentBytes}) {
    ASSERT_TRUE(CreateSegment(PosixFileSystem(), store_ / "log", identity, {0, size}));
    Open();
    ExpectClean();
    log_.reset();
  }
  ASSERT_TRUE(CreateSegment(PosixFileSystem(), store_ / "log", identity, {0, 5 * kSegmentBytes}));
  Open();
  Append({Message(10), Message(9'000)});
  ExpectAllThereForEver();
}

}  // namespace
}  // namespace turnlog::segment_border_test
