// Which appends a reader of the same handle sees, and what it waits for: the test stops the files at gates.
#include <gmock/gmock.h>

#include <future>

#include "store/engine/event_log.h"
#include "tests/store/log_fixture.h"
#include "tests/support/gated_file_system.h"

namespace turnlog::visibility_test {
namespace {

using testing::ElementsAre;

class VisibilityTest : public testing::Test {
 protected:
  ~VisibilityTest() override {
    files_.writes.Open();
    files_.syncs.Open();
  }
  Log& log() { return *log_; }
  Result<AppendResult> Append(std::string_view conversation, const Event& event, Durability durability) {
    return log().Append(Id(conversation), event, {.durability = durability, .expected_last = {}});
  }
  auto AppendInAnotherThread(std::string_view conversation, Durability durability) {
    return std::async(std::launch::async, [=, this] { return CodeOf(Append(conversation, Say("x"), durability)); });
  }

  TempDir folder_;
  GatedFileSystem files_;
  std::unique_ptr<EventLog> log_ = Must(EventLog::Open(folder_ / "store", {}, {.files = &files_}));
};

TEST_F(VisibilityTest, NoReadWaitsForTheSyncOfAnother) {
  files_.syncs.Close();
  auto synced = AppendInAnotherThread("a", Durability::kSync);
  files_.syncs.AwaitStopped(1);
  Must(Append("b", Say("1"), Durability::kBuffered));
  EXPECT_THAT(Lines(log(), "b"), ElementsAre("1 0 1"));
  EXPECT_THAT(Lines(log(), "a"), ElementsAre("1 0 x")) << "it is written";
  EXPECT_EQ(Must(log().List("", 10)).size(), 2U);
  auto tail = Must(log().Follow({}));
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 1 x", "b 1 1"));
  const Event later = Say("2");
  const EventView view = View(later);
  Must(log().AppendLater(Id("b"), {&view, 1}));
  EXPECT_THAT(Lines(log(), "b"), ElementsAre("1 0 1", "2 0 2")) << "the reader has it written";
  files_.syncs.Open();
  EXPECT_EQ(synced.get(), "fine");
}

TEST_F(VisibilityTest, AReadWaitsForTheWriteOfItsOwnConversationOnly) {
  Must(Append("a", Say("1"), Durability::kBuffered));
  files_.writes.Close();
  auto written = AppendInAnotherThread("b", Durability::kBuffered);
  files_.writes.AwaitStopped(1);
  EXPECT_THAT(Lines(log(), "a"), ElementsAre("1 0 1"));
  files_.writes.Open();
  EXPECT_EQ(written.get(), "fine");
}

// Turns, sizes and pending inquiries would include events that are not in the log.
TEST_F(VisibilityTest, AConversationWhoseAppendFailedIsNotReadUntilTheStoreIsOpenedAgain) {
  for (const char* name : {"a", "b"}) Must(Append(name, Say("1"), Durability::kSync));
  files_.writes.FailFromNowOn();
  EXPECT_EQ(CodeOf(log().Append(Id("a"), std::vector{NewTurn(), Ask(Opaque("i"))})), "needs reopening");
  EXPECT_EQ(CodeOf(log().Append(Id("new"), Say("1"))), "needs reopening");
  EXPECT_EQ(CodeOf(log().Info(Id("a"))), "needs reopening");
  EXPECT_EQ(CodeOf(log().ReadRaw(Id("a"))), "needs reopening");
  EXPECT_EQ(CodeOf(log().Pending({})), "needs reopening");
  EXPECT_EQ(CodeOf(log().List("", 10)), "needs reopening");
  EXPECT_THAT(Lines(log(), "b"), ElementsAre("1 0 1"));
  log_.reset();
  const auto again = Must(OpenSegmentLog(folder_ / "store"));
  EXPECT_THAT(Lines(*again, "a"), ElementsAre("1 0 1"));
  EXPECT_EQ(CodeOf(again->Info(Id("new"))), "not found");
}

}  // namespace
}  // namespace turnlog::visibility_test
