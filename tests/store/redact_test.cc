// Redacting events: they have new contents under the same seq, the old ones are gone from the disk, and nothing else
// changes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "store/engine/event_log.h"
#include "tests/store/destroyed_fixture.h"
#include "tests/support/crash_file_system.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/temp_dir.h"

namespace turnlog::redact_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RedactTest : public DestroyedFilesTest {};

TEST_F(RedactTest, TheBytesAreGoneWhenItReturns) {
  Must(Append("a", {Say("before"), Say(kPlanted), Say("after")}, {}));
  EXPECT_THAT(FilesWith(kPlanted), ElementsAre(HasSubstr("0000")));
  Must(Redact("a", {{2, Say("[redacted]")}}));
  EXPECT_THAT(FilesWith(kPlanted), IsEmpty());
  EXPECT_THAT(FilesWith("before"), ElementsAre(HasSubstr("0000")));
  Must(log_->Checkpoint());
  EXPECT_THAT(FilesWith(kPlanted), IsEmpty());
  Close();
  EXPECT_THAT(FilesWith(kPlanted), IsEmpty());
}

TEST_F(RedactTest, WorksInEverySegmentAndAtTheirBorders) {
  std::vector<std::string> expected;
  std::vector<Change> changes;
  std::size_t filling = 100;
  const auto add = [&](std::size_t length) {
    const std::uint64_t seq = expected.size() + 1;
    Must(Append("a", Say(fmt::format("{}{} {}", kPlanted, seq, std::string(length, '.')))));
    const std::string now = fmt::format("[redacted]{}{}", seq, std::string(seq % 5 == 0 ? 3'000 : 0, 'n'));
    changes.push_back({seq, Say(now)});
    expected.push_back(fmt::format("{} 0 {}", seq, now));
  };
  while (FilesWith(kPlanted).size() < 5) {  // segments with events in them: there may be a preallocated one
    filling = filling * 7 % 1501;
    add(filling);
    if (expected.size() % 13 == 0) add(20 << 10);  // larger than a segment
  }
  Must(Redact("a", changes));
  EXPECT_THAT(FilesWith(kPlanted), IsEmpty());
  EXPECT_EQ(ExpectClean().redacted, expected.size());
  expected.push_back(fmt::format("{} 0 redaction", expected.size() + 1));
  EXPECT_EQ(Lines(*log_, "a"), expected);
  EXPECT_EQ(TailLines(*Must(log_->Follow({}))).size(), expected.size());
  ExpectSameAnswersAfterwards();
  EXPECT_EQ(Lines(*log_, "a"), expected);
}

TEST_F(RedactTest, RefusesDamagedEventsAndChangesNothing) {
  Must(Append("a", {Say("whole"), Say(kPlanted)}));
  Must(Append("a", Say("whole"), {}));  // syncs
  Must(Append("a", Say("whole"), {}));  // and claims it
  FlipIn(kPlanted);
  const auto refused = Redact("a", {{1, Say("")}, {2, Say("")}});
  EXPECT_EQ(CodeOf(refused), "corruption");
  EXPECT_THAT(MessageOf(refused), HasSubstr("seq 2"));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 whole", HasSubstr("damage"), "3 0 whole", "4 0 whole"));
}

// The offsets that a reader has cached lead to the first replacement, which is gone.
TEST_F(RedactTest, ACursorThatIsBetweenTwoRedactionsFindsTheLastForm) {
  Must(Append("a", {Say("1"), Say("2")}));
  Must(Redact("a", {{1, Say("[1]")}, {2, Say("[2]")}}));
  const auto reader = Must(OpenSegmentLog(path(), Options(OpenMode::kRead)));
  const auto cursor = Must(reader->ReadRaw(Id("a")));
  EXPECT_EQ(Line(Must(cursor->Next())), "1 0 [1]");  // has read ahead
  while (Figure(*log_, "segments") < 4) Must(Append("b", Say(std::string(2'000, 'b'))));
  Must(Redact("a", {{1, Say("[[1]]")}, {2, Say("[[2]]")}}));
  EXPECT_EQ(Line(Must(cursor->Next())), "2 0 [[2]]");
  EXPECT_EQ(Line(Must(cursor->Next())), "3 0 redaction");
}

TEST_F(RedactTest, ReadersBesideTheWriterSeeItWithoutRefresh) {
  Must(Append("a", {Say("1"), Say("2")}));
  const auto reader = Must(OpenSegmentLog(path(), Options(OpenMode::kRead)));
  EXPECT_THAT(Lines(*reader, "a"), ElementsAre("1 0 1", "2 0 2"));
  while (Figure(*log_, "segments") < 4)
    Must(Append("b", Say(std::string(2'000, 'b'))));  // segments that the reader does not know
  Must(Redact("a", {{2, Say("[2]")}}));
  EXPECT_THAT(Lines(*reader, "a"), ElementsAre("1 0 1", "2 0 [2]"));
  const auto tail = Must(reader->Follow({}, Id("a")));
  EXPECT_EQ(std::get<Record>(Must(tail->Next())).seq, Seq{1});
  EXPECT_TRUE(std::get<Record>(Must(tail->Next())).redacted);
  Must(reader->Refresh());
  EXPECT_THAT(Lines(*reader, "a"), ElementsAre("1 0 1", "2 0 [2]", "3 0 redaction"));
}

TEST_F(RedactTest, ALostReplacementIsDamageOfItsEvent) {
  Must(Append("a", {Say("1"), Say("2"), Say("3")}));
  Must(Redact("a", {{2, Say("replacement-of-two")}}));
  Must(Append("a", Say("5"), {}));
  Must(Append("a", Say("6"), {}));
  FlipIn("replacement-of-two");
  EXPECT_THAT(Lines(*log_, "a", {.limit = 3}), ElementsAre("1 0 1", HasSubstr("damage"), "3 0 3"));
  EXPECT_THAT(TailLines(*Must(log_->Follow({}))), testing::Contains(HasSubstr("seq 2")));
  EXPECT_EQ(CodeOf(Redact("a", {{2, Say("")}})), "corruption");
  EXPECT_EQ(CodeOf(log_->Erase(Id("a"), std::vector<Seq>{{2}})), "corruption");
  const VerifyReport report = Must(VerifyStore(path()));
  std::vector<std::string> damage;
  damage.reserve(report.damage.size());
  for (const Damage& one : report.damage) damage.push_back(ToString(one));
  EXPECT_THAT(damage, testing::Contains(testing::AllOf(HasSubstr("\"a\""), HasSubstr("seq 2"))));
}

// Interrupted at each of its writes in turn, half of which is done, then done for another value: the replacements of
// the first try held that.
// The event is redacted again, or erased, as scavenging does.
class InterruptedRedactionTest : public testing::TestWithParam<bool> {};

TEST_P(InterruptedRedactionTest, LeavesNoCopyOfOtherValues) {
  const Event redaction = RedactionEvent(), half = Say("[redacted] and correct-horse"),
              whole = Say("[redacted] and [redacted]");
  CrashFileSystem disk(PosixFileSystem());
  FaultFileSystem files(disk);
  std::uint64_t n = 1;
  for (bool failed = true; failed; ++n) {
    SCOPED_TRACE(n);
    const TempDir folder;
    const auto store = folder / "store";
    {
      auto log = Must(EventLog::Open(store, {}, {.files = &files}));
      Must(log->Append(Id("a"), Say("battery-staple and correct-horse")));
      Must(log->Checkpoint());
      files.FailMutation(n, FaultMode::kShortWrite, FaultExtent::kFromThenOn);
      (void)log->Redact(Id("a"), std::vector<Replacement>{{{1}, View(half)}}, View(redaction), {});
      failed = !files.failed().empty();
    }
    files.Heal();
    auto log = Must(EventLog::Open(store, {}, {.files = &files}));
    if (GetParam()) {
      Must(log->Erase(Id("a"), std::vector<Seq>{{1}}, {}));
    } else {
      Must(log->Redact(Id("a"), std::vector<Replacement>{{{1}, View(whole)}}, View(redaction), {}));
    }
    Must(log->Close());
    for (const auto& entry : std::filesystem::directory_iterator(store / "log")) {
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
      EXPECT_EQ(bytes.find("correct-horse"), std::string::npos) << entry.path();
    }
    EXPECT_TRUE(Must(VerifyStore(store)).clean());
  }
  EXPECT_GT(n, 3U) << "hardly anything failed: the test does not test";
}

INSTANTIATE_TEST_SUITE_P(ThenErased, InterruptedRedactionTest, testing::Bool());

}  // namespace
}  // namespace turnlog::redact_test
