// Several processes with one store: one writer and readers beside it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "tests/store/child_process.h"
#include "tests/store/log_fixture.h"
#include "tests/store/numbered.h"
#include "turnlog/maintenance.h"

namespace turnlog::processes_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ProcessesTest : public testing::Test {
 protected:
  std::string path() const { return folder_ / "store"; }
  std::unique_ptr<ChildProcess> Writer(std::uint64_t events) {
    return std::make_unique<ChildProcess>(
        std::vector<std::string>{TURNLOG_STORE_PROCESS, path(), "the other one", std::to_string(events)});
  }
  SegmentOptions Options(OpenMode mode) const {
    return {.mode = mode, .holder = "this test", .segment_bytes = 32 << 10, .checkpoint_bytes = 64 << 10};
  }
  // Opens a reader as soon as the store exists.
  std::unique_ptr<Log> Reader() {
    for (;;) {
      auto log = OpenSegmentLog(path(), Options(OpenMode::kRead));
      if (log || log.error().code != ErrorCode::kNotFound) return Must(std::move(log));
    }
  }

  TempDir folder_;
};

// Both conversations are prefixes of what the writer appends. Returns the number of events.
std::uint64_t ExpectNumbered(Log& log) {
  std::uint64_t events = 0;
  for (const ConversationInfo& info : Must(log.List("", 10))) {
    std::uint64_t seq = 0;
    const auto cursor = Must(log.ReadRaw(Id(info.id)));
    for (Item item = Must(cursor->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(cursor->Next())) {
      ++seq;
      EXPECT_EQ(Line(item), std::to_string(seq) + " 0 " + NumberedText(seq));
    }
    EXPECT_GE(seq, info.last.value);
    events += seq;
  }
  return events;
}

TEST_F(ProcessesTest, TheErrorOfASecondWriterNamesTheHolder) {
  const auto writer = Writer(1);
  ASSERT_EQ(writer->ReadLine(), "done");
  const auto refused = OpenSegmentLog(path(), Options(OpenMode::kWrite));
  ASSERT_EQ(CodeOf(refused), "busy");
  EXPECT_THAT(MessageOf(refused),
              AllOf(HasSubstr("the other one"), HasSubstr("process " + std::to_string(writer->pid()))));
  EXPECT_EQ(CodeOf(ReindexStore(path())), "busy");
  EXPECT_EQ(writer->Finish(), 0);
  EXPECT_EQ(CodeOf(OpenSegmentLog(path(), Options(OpenMode::kWrite))), "fine");
}

TEST_F(ProcessesTest, SecondWriterInTheSameProcessIsRefusedToo) {
  const auto log = Must(OpenSegmentLog(path(), Options(OpenMode::kCreate)));
  const auto refused = OpenSegmentLog(path(), Options(OpenMode::kWrite));
  ASSERT_EQ(CodeOf(refused), "busy");
  EXPECT_THAT(MessageOf(refused), AllOf(HasSubstr("this test"), HasSubstr("process " + std::to_string(::getpid()))));
  EXPECT_EQ(CodeOf(OpenSegmentLog(path(), Options(OpenMode::kCreateNew))), "busy");
  Must(log->Append(Id("a"), Say("still works")));
  Must(log->Close());
  EXPECT_EQ(CodeOf(OpenSegmentLog(path(), Options(OpenMode::kWrite))), "fine");
}

TEST_F(ProcessesTest, ReadersAreNotHeldUp) {
  const auto writer = Writer(100);
  ASSERT_EQ(writer->ReadLine(), "done");
  const auto first = Reader();
  const auto second = Reader();
  EXPECT_EQ(ExpectNumbered(*first), 100U);
  EXPECT_EQ(ExpectNumbered(*second), 100U);
  EXPECT_TRUE(Must(VerifyStore(path())).clean());
}

TEST_F(ProcessesTest, KilledWriterLeavesNoLock) {
  const auto writer = Writer(100);
  ASSERT_EQ(writer->ReadLine(), "done");
  writer->Kill();
  const auto log = Must(OpenSegmentLog(path(), Options(OpenMode::kWrite)));
  EXPECT_EQ(ExpectNumbered(*log), 100U);
}

TEST_F(ProcessesTest, ReaderThatWaitsSeesEverythingTheWriterDoes) {
  constexpr std::uint64_t kEvents = 20'000;
  const auto writer = Writer(kEvents);
  const auto reader = Reader();
  const auto tail = Must(reader->Follow({}));
  std::map<std::string, std::uint64_t> last;
  std::uint64_t seen = 0;
  while (seen < kEvents) {
    if (!Must(tail->Wait(std::chrono::seconds(60)))) FAIL() << "nothing came after " << seen << " events";
    for (Item item = Must(tail->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(tail->Next())) {
      ASSERT_TRUE(std::holds_alternative<Record>(item)) << Line(item);
      const auto& record = std::get<Record>(item);
      ASSERT_EQ(record.seq.value, ++last[std::string(record.conversation)]);
      ++seen;
    }
    ASSERT_EQ(Must(reader->Info(Id("even"))).last.value, last["even"]);
  }
  EXPECT_EQ(seen, kEvents);
  EXPECT_EQ(ExpectNumbered(*reader), kEvents);
  EXPECT_GT(Figure(*reader, "checkpoint_offset"), 0U);
  EXPECT_EQ(writer->ReadLine(), "done");
}

TEST_F(ProcessesTest, ReaderReadsAtEveryMomentABeginningOfWhatIsWritten) {
  constexpr std::uint64_t kEvents = 6'000;
  const auto writer = Writer(kEvents);
  const auto reader = Reader();
  std::uint64_t seen = 0;
  while (seen < kEvents) {
    Must(reader->Refresh());
    const std::uint64_t now = ExpectNumbered(*reader);
    ASSERT_GE(now, seen);
    seen = now;
    const auto newcomer = Reader();
    ASSERT_GE(ExpectNumbered(*newcomer), seen);
  }
  // Until the writer's index can be used by new readers: nothing announces its checkpoint, so that it is asked for.
  while (Figure(*Reader(), "checkpoint_offset") == 0) std::this_thread::yield();
}

TEST_F(ProcessesTest, ReaderOutlivesOneWriterAfterTheOther) {
  std::unique_ptr<Log> reader;
  std::unique_ptr<Tail> tail;
  std::uint64_t seen = 0;
  for (std::uint64_t round = 1; round <= 12; ++round) {
    const auto writer = Writer(round * 37);
    ASSERT_EQ(writer->ReadLine(), "done");
    if (reader == nullptr) {
      reader = Reader();
      tail = Must(reader->Follow({}));
    }
    Must(reader->Refresh());  // while the writer works, with a preallocated segment that it will remove
    seen += TailLines(*tail).size();
    if (round % 3 == 0) {
      writer->Kill();
    } else {
      EXPECT_EQ(writer->Finish(), 0);
    }
    EXPECT_EQ(seen, round * (round + 1) / 2 * 37);
    EXPECT_EQ(ExpectNumbered(*reader), seen);
  }
}

TEST_F(ProcessesTest, VerifyIsCleanBesideABusyWriter) {
  const auto writer = Writer(15'000);
  Reader();
  for (int i = 0; i < 20; ++i) {
    const VerifyReport report = Must(VerifyStore(path()));
    EXPECT_TRUE(report.clean()) << (report.damage.empty() ? "" : ToString(report.damage[0]))
                                << (report.index_differences.empty() ? "" : report.index_differences[0]);
  }
  EXPECT_EQ(writer->ReadLine(), "done");
}

}  // namespace
}  // namespace turnlog::processes_test
