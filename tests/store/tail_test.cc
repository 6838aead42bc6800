// Following the segments: positions, partial writes, readers and Refresh.
#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "store/segments/segment_position.h"
#include "tests/store/log_fixture.h"
#include "tests/support/copy_store.h"

namespace turnlog::tail_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using TailTest = LogTest;

TEST_F(TailTest, RefusesAPositionThatIsNone) {
  Must(Append("a", {Say("1"), Say("2")}));
  const Position end = Must(log_->End());
  const auto [offset, fingerprint] = Must(SegmentPosition::From(end));
  const SegmentPosition bad[] = {{offset, fingerprint + 1},
                                 {offset + 8, fingerprint},
                                 {offset - 8, fingerprint},
                                 {offset + 1, fingerprint},
                                 {0, 1},
                                 {UINT64_MAX, fingerprint},
                                 {4096, 0},
                                 {1, 0}};
  for (const SegmentPosition& one : bad) {
    const Position position = one.ToPosition();
    const auto refused = log_->Follow(position);
    EXPECT_EQ(CodeOf(refused), "conflict") << position.ToText();
    EXPECT_THAT(MessageOf(refused), HasSubstr(position.ToText()));
  }
}

TEST_F(TailTest, RefusesAPositionInAnEndThatWasLost) {
  Must(Append("a", Say("1")));
  CopyStore(path(), folder_ / "copy");
  Must(Append("a", Say("these were never synced")));
  const Position lost = Must(log_->End());
  const auto after_crash = Must(OpenSegmentLog(folder_ / "copy", Options()));
  EXPECT_EQ(CodeOf(after_crash->Follow(lost)), "conflict");
  for (int i = 0; i < 5; ++i) Must(after_crash->Append(Id("a"), Say("something else")));
  EXPECT_EQ(CodeOf(after_crash->Follow(lost)), "conflict");
}

TEST_F(TailTest, ShowsNothingThatIsNotWritten) {
  const auto tail = Must(log_->Follow({}));
  const Event event = Say("1");
  const EventView view = View(event);
  const AppendResult later = Must(log_->AppendLater(Id("a"), std::span(&view, 1)));
  EXPECT_THAT(TailLines(*tail), IsEmpty());
  EXPECT_EQ(Must(log_->End()), Position{});
  Must(log_->Wait(later.ticket, Durability::kBuffered));
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 1 1"));
}

// The last write is truncated at every multiple of eight bytes.
TEST_F(TailTest, ShowsNothingOfABatchThatIsHalfWritten) {
  Must(Append("a", Say("1")));
  const std::uint64_t whole = Figure(*log_, "end_offset");
  Must(Append("a", {Say("2"), Say("3"), Say("4")}));
  const std::uint64_t end = Figure(*log_, "end_offset");
  const std::filesystem::path segment = *std::filesystem::directory_iterator(path() / "log");
  const auto size = std::filesystem::file_size(segment);
  for (std::uint64_t cut = whole; cut < end; cut += 8) {
    const std::filesystem::path copy = folder_ / ("copy" + std::to_string(cut));
    CopyStore(path(), copy);
    std::filesystem::resize_file(copy / "log" / segment.filename(), cut);
    std::filesystem::resize_file(copy / "log" / segment.filename(), size);
    const auto reader = Must(OpenSegmentLog(copy, {.mode = OpenMode::kRead}));
    ASSERT_THAT(TailLines(*Must(reader->Follow({}))), ElementsAre("a 1 1")) << cut;
    ASSERT_THAT(Lines(*reader, "a"), ElementsAre("1 0 1")) << cut;
  }
}

// A reader may have read ahead into an interrupted append. The next writer writes something else there.
TEST_F(TailTest, ReaderDoesNotKeepWhatTheNextWriterReplaces) {
  Must(Append("a", {Say("1"), Say("2")}));
  const std::uint64_t end = Figure(*log_, "end_offset");
  CopyStore(path(), folder_ / "crashed");
  Must(Append("a", {Say("lost"), Say("lost"), Say(std::string(1000, 'x'))}));
  const std::filesystem::path segment = *std::filesystem::directory_iterator(path() / "log");
  std::string torn(200, '\0');
  std::ifstream(segment, std::ios::binary).seekg(static_cast<std::streamoff>(end)).read(torn.data(), 200);
  std::fstream(folder_ / "crashed/log" / segment.filename(), std::ios::binary | std::ios::in | std::ios::out)
      .seekp(static_cast<std::streamoff>(end))
      .write(torn.data(), 200);

  const auto reader = Must(OpenSegmentLog(folder_ / "crashed", {.mode = OpenMode::kRead}));
  const auto tail = Must(reader->Follow({}));
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 1 1", "a 2 2"));
  const auto writer = Must(OpenSegmentLog(folder_ / "crashed", Options(OpenMode::kWrite)));
  Must(writer->Append(Id("a"), std::vector{Say("kept"), Say("3"), Say("4")}));
  Must(reader->Refresh());
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 3 kept", "a 4 3", "a 5 4"));
}

// A reader is a snapshot: tail, reads and End agree until the next Refresh.
TEST_F(TailTest, ReaderStaysAtItsRefresh) {
  Must(Append("a", Say("1")));
  const auto reader = Must(OpenSegmentLog(path(), Options(OpenMode::kRead)));
  const auto tail = Must(reader->Follow({}));
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 1 1"));
  Must(Append("a", Say("2")));
  EXPECT_THAT(TailLines(*tail), IsEmpty());
  EXPECT_THAT(Lines(*reader, "a"), ElementsAre("1 0 1"));
  Must(reader->Refresh());
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 2 2"));
  EXPECT_THAT(Lines(*reader, "a"), ElementsAre("1 0 1", "2 0 2"));
}

// The preallocated segment is removed when the writer closes, and another one gets its name.
TEST_F(TailTest, ReaderIsNotMisledByASegmentThatWasReplaced) {
  std::vector<std::string> expected;
  const auto append = [&](int count) {
    for (int i = 0; i < count; ++i) {
      expected.push_back("a " + std::to_string(expected.size() + 1) + " " + std::string(500, 'x'));
      Must(Append("a", Say(std::string(500, 'x'))));
    }
  };
  append(16);
  while (Figure(*log_, "segments") < 2) std::this_thread::yield();
  const auto reader = Must(OpenSegmentLog(path(), Options(OpenMode::kRead)));
  const auto tail = Must(reader->Follow({}));
  std::vector<std::string> seen = TailLines(*tail);
  Close();
  log_ = Must(OpenSegmentLog(path(), {.segment_bytes = 64 << 10}));
  append(200);
  Must(reader->Refresh());
  for (const std::string& line : TailLines(*tail)) seen.push_back(line);
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(Lines(*reader, "a").size(), 216U);
}

}  // namespace
}  // namespace turnlog::tail_test
