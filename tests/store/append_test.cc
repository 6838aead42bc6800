// Appending into segments: durability, and the borders of segments.
#include <gmock/gmock.h>

#include "tests/store/log_fixture.h"

namespace turnlog::append_test {
namespace {

using testing::ElementsAre;

using AppendTest = LogTest;

TEST_F(AppendTest, SyncMakesEverythingBeforeItDurable) {
  const AppendResult buffered = Must(Append("a", Say("1")));
  EXPECT_LT(Figure(*log_, "durable_offset"), buffered.ticket.handle);
  EXPECT_GE(Figure(*log_, "end_offset"), buffered.ticket.handle);
  const AppendResult synced = Must(Append("b", Say("1"), {.durability = Durability::kSync}));
  EXPECT_GE(Figure(*log_, "durable_offset"), synced.ticket.handle);
}

TEST_F(AppendTest, LaterIsWrittenByWaitingForIt) {
  const std::vector<Event> events{Say("1"), Say("2")};
  const std::vector<EventView> views{View(events[0]), View(events[1])};
  const AppendResult first = Must(log_->AppendLater(Id("a"), views));
  EXPECT_THAT(Seqs(first), ElementsAre(1, 2));
  EXPECT_EQ(Figure(*log_, "end_offset"), 0U);
  Must(log_->Wait(first.ticket, Durability::kBuffered));
  EXPECT_EQ(Figure(*log_, "end_offset"), first.ticket.handle);
  EXPECT_LT(Figure(*log_, "durable_offset"), first.ticket.handle);
  Must(log_->Wait(first.ticket, Durability::kSync));
  EXPECT_EQ(Figure(*log_, "durable_offset"), first.ticket.handle);
  Must(log_->Wait(first.ticket, Durability::kSync));
}

TEST_F(AppendTest, AppendLaterWithoutWaitIsWrittenByTheNextOrByClose) {
  const Event event = Say("1");
  const EventView view = View(event);
  const AppendResult later = Must(log_->AppendLater(Id("a"), std::span(&view, 1)));
  Must(Append("b", Say("1")));
  EXPECT_GE(Figure(*log_, "end_offset"), later.ticket.handle);
  Must(log_->AppendLater(Id("a"), std::span(&view, 1)));
  Reopen();
  EXPECT_EQ(Must(log_->Info(Id("a"))).last.value, 2U);
}

TEST_F(AppendTest, WaitRefusesATicketThatWasNeverGiven) {
  const AppendResult result = Must(Append("a", Say("1")));
  EXPECT_EQ(CodeOf(log_->Wait({result.ticket.handle + 1}, Durability::kBuffered)), "invalid argument");
  EXPECT_EQ(CodeOf(log_->Wait({UINT64_MAX}, Durability::kSync)), "invalid argument");
}

TEST_F(AppendTest, FillsOneSegmentAfterTheOther) {
  std::vector<std::string> expected;
  for (int i = 1; i <= 300; ++i) {
    const std::string text(static_cast<std::size_t>(i) * 7 % 1000, static_cast<char>('a' + i % 26));
    Must(Append("a", Say(text)));
    expected.push_back(std::to_string(i) + " 0 " + text);
  }
  EXPECT_GT(Figure(*log_, "segments"), 5U);
  EXPECT_EQ(Lines(*log_, "a"), expected);
  Reopen();
  EXPECT_EQ(Lines(*log_, "a"), expected);
  ReopenAfterCrash();
  EXPECT_EQ(Lines(*log_, "a"), expected);
}

TEST_F(AppendTest, GivesAnEventLargerThanASegmentItsOwn) {
  const std::string large(100'000, 'x');
  Must(Append("a", {Say("1"), Say(large), Say("3")}));
  Must(Append("a", Say(large)));
  Reopen();
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 " + large, "3 0 3", "4 0 " + large));
}

// Frames that end exactly where a segment ends, and up to a few bytes before it, where no seal has room.
TEST_F(AppendTest, MeetsTheEndOfASegmentAtEveryByte) {
  std::vector<std::string> expected;
  std::string text;
  for (std::uint64_t i = 0; i < 40; ++i) {
    text.assign(i * 8, 'x');
    Must(Append("a", Say(text)));
    expected.push_back(std::to_string(expected.size() + 1) + " 0 " + text);
    const std::uint64_t room = (16 << 10) - Figure(*log_, "end_offset") % (16 << 10);
    if (room > 400) {
      text.assign(room - 200 - i * 8, 'y');
      Must(Append("a", Say(text)));
      expected.push_back(std::to_string(expected.size() + 1) + " 0 " + text);
    }
  }
  EXPECT_EQ(Lines(*log_, "a"), expected);
  ReopenAfterCrash();
  EXPECT_EQ(Lines(*log_, "a"), expected);
}

TEST_F(AppendTest, RepeatedSyncAppendIsDurableWhenItReturns) {
  const AppendResult first = Must(Append("a", Named("e", Say("1"))));
  EXPECT_LT(Figure(*log_, "durable_offset"), first.ticket.handle);
  Must(Append("a", Named("e", Say("1")), {.durability = Durability::kSync}));
  EXPECT_GE(Figure(*log_, "durable_offset"), first.ticket.handle);
}

}  // namespace
}  // namespace turnlog::append_test
