// Following the log: order, positions that survive, waiting.
#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "store/segment_position.h"
#include "tests/store/log_fixture.h"

namespace turnlog::tail_test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::string_literals;

class TailTest : public LogTest {
 protected:
  std::vector<std::string> From(Position position) { return TailLines(*Must(log_->Follow(position))); }
  std::vector<std::string> From(Position position, std::string_view conversation) {
    return TailLines(*Must(log_->Follow(position, Id(conversation))));
  }
};

TEST_F(TailTest, GivesAllConversationsInOrderOfAppending) {
  Must(Append("b", {Say("1"), Say("2")}));
  Must(Append("a", Say("1")));
  Must(Append("b", NewTurn()));
  Must(Append("a", Say("2")));
  EXPECT_THAT(From({}), ElementsAre("b 1 1", "b 2 2", "a 1 1", "b 3 turn", "a 2 2"));
  EXPECT_THAT(From({}, "a"), ElementsAre("a 1 1", "a 2 2"));
  EXPECT_THAT(From({}, "b"), ElementsAre("b 1 1", "b 2 2", "b 3 turn"));
  EXPECT_THAT(From({}, "c"), IsEmpty());
}

TEST_F(TailTest, GoesOnWhenMoreComes) {
  const auto all = Must(log_->Follow({}));
  const auto one = Must(log_->Follow({}, Id("new")));
  EXPECT_THAT(TailLines(*all), IsEmpty());
  Must(Append("a", Say("1")));
  EXPECT_THAT(TailLines(*all), ElementsAre("a 1 1"));
  EXPECT_THAT(TailLines(*one), IsEmpty());
  Must(Append("new", Say("1")));
  Must(log_->Checkpoint());
  Must(Append("a", Say("2")));
  EXPECT_THAT(TailLines(*all), ElementsAre("new 1 1", "a 2 2"));
  EXPECT_THAT(TailLines(*one), ElementsAre("new 1 1"));
  EXPECT_THAT(TailLines(*all), IsEmpty());
}

TEST_F(TailTest, TurnsAreNotTold) {
  Must(Append("a", {NewTurn(), Say("1")}));
  const auto tail = Must(log_->Follow({}));
  EXPECT_EQ(Line(Must(tail->Next())), "1 0 turn");
  EXPECT_EQ(Line(Must(tail->Next())), "2 0 1");
}

TEST_F(TailTest, BeginsAtTheEnd) {
  EXPECT_EQ(Must(log_->End()), Position{});
  Must(Append("a", Say("1")));
  const Position end = Must(log_->End());
  EXPECT_THAT(From(end), IsEmpty());
  Must(Append("b", {Say("1"), Say("2")}));
  EXPECT_THAT(From(end), ElementsAre("b 1 1", "b 2 2"));
  EXPECT_THAT(From(end, "b"), ElementsAre("b 1 1", "b 2 2"));
  EXPECT_THAT(From(end, "a"), IsEmpty());
}

TEST_F(TailTest, GoesOnFromEveryPosition) {
  std::vector<std::string> all;
  for (int i = 1; i <= 120; ++i) {
    const std::string text = std::to_string(i) + std::string(static_cast<std::size_t>(i * 37 % 900), '.');
    if (i % 4 == 0) {
      Must(Append("a", {Say(text), Say("x"), Say(text)}));
      for (const std::string& line : {text, "x"s, text}) all.push_back(line);
    } else {
      Must(Append(i % 3 == 0 ? "b" : "a", Say(text)));
      all.push_back(text);
    }
  }
  const auto tail = Must(log_->Follow({}));
  std::vector<Position> positions{tail->position()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_TRUE(std::holds_alternative<Record>(Must(tail->Next())));
    positions.push_back(tail->position());
  }
  const auto check = [&] {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const Position position = Must(Position::Parse(positions[i].ToText()));
      const std::vector<std::string> rest = From(position);
      ASSERT_EQ(rest.size(), all.size() - i) << i;
      ASSERT_TRUE(rest.empty() || rest.front().ends_with(" " + all[i])) << i;
    }
  };
  check();
  Reopen();
  check();
  ReopenAfterCrash();
  check();
  Reopen(OpenMode::kRead);
  check();
}

TEST_F(TailTest, OfOneConversationRemembersHowFarItLooked) {
  Must(Append("a", Say("1")));
  for (int i = 0; i < 50; ++i) Must(Append("b", Say("x")));
  const auto tail = Must(log_->Follow({}, Id("a")));
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 1 1"));
  EXPECT_EQ(tail->position(), Must(log_->End()));
  Must(Append("a", Say("2")));
  EXPECT_THAT(From(tail->position(), "a"), ElementsAre("a 2 2"));
}

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

TEST_F(TailTest, RefusesAPositionOfAnotherStore) {
  const auto other = Must(OpenSegmentLog(folder_ / "other", Options()));
  for (Log* log : {log_.get(), other.get()}) Must(log->Append(Id("a"), Say("1")));
  EXPECT_EQ(CodeOf(log_->Follow(Must(other->End()))), "conflict");
  EXPECT_EQ(CodeOf(log_->Follow(Must(log_->End()))), "fine");
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
  const Receipt later = Must(log_->AppendLater(Id("a"), std::span(&view, 1)));
  EXPECT_THAT(TailLines(*tail), IsEmpty());
  EXPECT_EQ(Must(log_->End()), Position{});
  Must(log_->Wait(later.ticket, Durability::kBuffered));
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 1 1"));
}

// As if the writer had been cut off within its last write, at every multiple of eight bytes.
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

// A reader may have read ahead into an append that was cut short. The next writer puts something else there.
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

TEST_F(TailTest, WaitTellsWhetherThereIsMore) {
  const auto tail = Must(log_->Follow({}));
  EXPECT_FALSE(Must(tail->Wait(milliseconds(0))));
  EXPECT_FALSE(Must(tail->Wait(milliseconds(5))));
  Must(Append("a", Say("1")));
  EXPECT_TRUE(Must(tail->Wait(milliseconds(0))));
  TailLines(*tail);
  EXPECT_FALSE(Must(tail->Wait(milliseconds(0))));
}

TEST_F(TailTest, WaitIsWokenByAnAppend) {
  const auto tail = Must(log_->Follow({}));
  std::thread writer([&] { Must(Append("a", Say("1"))); });
  EXPECT_TRUE(Must(tail->Wait(std::chrono::minutes(5))));
  writer.join();
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 1 1"));
}

TEST_F(TailTest, ReaderWaitsForAnotherHandle) {
  const auto reader = Must(OpenSegmentLog(path(), Options(OpenMode::kRead)));
  const auto tail = Must(reader->Follow({}));
  EXPECT_FALSE(Must(tail->Wait(milliseconds(1))));
  std::thread writer([&] { Must(Append("a", Say("1"))); });
  EXPECT_TRUE(Must(tail->Wait(std::chrono::minutes(5))));
  writer.join();
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 1 1"));
}

// What a reader shows is what it has taken in: tail, reads and End agree until the next Refresh.
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

// The segment that stands ready goes when the writer closes, and another one takes its name.
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

TEST_F(TailTest, RecordsAreValidUntilTheNextCall) {
  const std::string large(200'000, 'l');
  Must(Append("a", {Say("1"), Say(large), Say("3")}));
  const auto tail = Must(log_->Follow({}));
  for (const std::string& text : {"1"s, large, "3"s}) {
    const Item item = Must(tail->Next());
    const auto& record = std::get<Record>(item);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(record.payload.data()) % 8, 0U);
    EXPECT_EQ(Brief(Must(record.Decode())), text);
  }
}

}  // namespace
}  // namespace turnlog::tail_test
