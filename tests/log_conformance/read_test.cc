// Reading one conversation: forwards, backwards, from a seq or a turn, wherever its events are indexed.
#include <fmt/format.h>

#include "tests/log_conformance/conformance.h"

namespace turnlog::read_test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::SizeIs;

// Seqs 1..2 are turn 0, 3..5 turn 1, 6 turn 2, 7..9 turn 3.
class ReadTest : public EveryAnswererTest {
 protected:
  ReadTest() {
    Append({Say("p"), Say("q"), NewTurn(), Say("a")});
    Settle();
    Append({Say("b"), NewTurn()});
    Append({NewTurn(), Say("c"), Say("d")});
    Settle();
  }
  std::vector<std::string> Read(const ReadOptions& options) { return Lines(log(), kConversation, options); }

  const std::vector<std::string> all_{"1 0 p",    "2 0 q",    "3 1 turn", "4 1 a", "5 1 b",
                                      "6 2 turn", "7 3 turn", "8 3 c",    "9 3 d"};
  std::vector<std::string> From(std::size_t seq, std::size_t last = 9) const {
    return {all_.begin() + static_cast<std::ptrdiff_t>(seq) - 1, all_.begin() + static_cast<std::ptrdiff_t>(last)};
  }
  std::vector<std::string> BackFrom(std::size_t seq, std::size_t first = 1) const {
    std::vector<std::string> lines = From(first, seq);
    std::ranges::reverse(lines);
    return lines;
  }
};

TURNLOG_FOR_ALL_SOURCES(ReadTest);

TEST_P(ReadTest, GivesAllInOrderWithTheirTurns) { EXPECT_EQ(Read({}), all_); }

TEST_P(ReadTest, BeginsAtAnySeq) {
  EXPECT_EQ(Read({.from = {0}}), all_);
  for (std::size_t seq = 1; seq <= 9; ++seq) EXPECT_EQ(Read({.from = {seq}}), From(seq)) << seq;
  EXPECT_THAT(Read({.from = {10}}), IsEmpty());
  EXPECT_THAT(Read({.from = {UINT64_MAX}}), IsEmpty());
}

TEST_P(ReadTest, BackwardBeginsAtAnySeqOrTheLast) {
  EXPECT_EQ(Read({.from = {0}, .backward = true}), BackFrom(9));
  for (std::size_t seq = 1; seq <= 9; ++seq) EXPECT_EQ(Read({.from = {seq}, .backward = true}), BackFrom(seq)) << seq;
  EXPECT_EQ(Read({.from = {UINT64_MAX}, .backward = true}), BackFrom(9));
}

TEST_P(ReadTest, BackwardFromTheDefaultGivesTheFirstEvent) { EXPECT_EQ(Read({.backward = true}), From(1, 1)); }

TEST_P(ReadTest, BeginsAtATurn) {
  EXPECT_EQ(Read({.from_turn = Turn{0}}), all_);
  EXPECT_EQ(Read({.from_turn = Turn{1}}), From(3));
  EXPECT_EQ(Read({.from_turn = Turn{2}}), From(6));
  EXPECT_EQ(Read({.from_turn = Turn{3}}), From(7));
  EXPECT_THAT(Read({.from_turn = Turn{4}}), IsEmpty());
  EXPECT_THAT(Read({.from_turn = Turn{UINT64_MAX}}), IsEmpty());
}

TEST_P(ReadTest, BackwardEndsAtTheTurn) { EXPECT_EQ(Read({.from_turn = Turn{2}, .backward = true}), BackFrom(9, 6)); }

TEST_P(ReadTest, GivesTheLastTurns) {
  EXPECT_THAT(Read({.last_turns = 0}), IsEmpty());
  EXPECT_EQ(Read({.last_turns = 1}), From(7));
  EXPECT_EQ(Read({.last_turns = 2}), From(6));
  EXPECT_EQ(Read({.last_turns = 3}), From(3));
  EXPECT_EQ(Read({.last_turns = 1, .backward = true}), BackFrom(9, 7));
}

TEST_P(ReadTest, MoreLastTurnsThanThereAreGiveTurnZeroToo) {
  EXPECT_EQ(Read({.last_turns = 4}), all_);
  EXPECT_EQ(Read({.last_turns = UINT64_MAX}), all_);
}

TEST_P(ReadTest, StopsAtTheLimit) {
  EXPECT_THAT(Read({.limit = 0}), IsEmpty());
  EXPECT_THAT(Read({.backward = true, .limit = 0}), IsEmpty());
  EXPECT_EQ(Read({.limit = 1}), From(1, 1));
  EXPECT_EQ(Read({.from = {4}, .limit = 3}), From(4, 6));
  EXPECT_EQ(Read({.from = {8}, .limit = 3}), From(8));
  EXPECT_EQ(Read({.from = {8}, .backward = true, .limit = 3}), BackFrom(8, 6));
  EXPECT_EQ(Read({.from = {2}, .backward = true, .limit = 3}), BackFrom(2));
  EXPECT_EQ(Read({.from_turn = Turn{1}, .limit = 2}), From(3, 4));
  EXPECT_EQ(Read({.last_turns = 2, .limit = 2}), From(6, 7));
  EXPECT_EQ(Read({.last_turns = 2, .backward = true, .limit = 2}), BackFrom(9, 8));
  EXPECT_EQ(Read({.limit = 9}), all_);
}

TEST_P(ReadTest, RefusesAnUnknownConversation) {
  const auto refused = log().ReadRaw(Id("nobody"));
  EXPECT_EQ(CodeOf(refused), "not found");
  EXPECT_THAT(MessageOf(refused), testing::HasSubstr("\"nobody\""));
}

TEST_P(ReadTest, InfoSumsUp) {
  Event event = Say("with time");
  event.timestamp = Timestamp{17};
  Append({event});
  event.timestamp = Timestamp{-3};
  Append({event, Say("without"), Ask(Opaque("i"))});
  Settle();
  const ConversationInfo info = Must(log().Info(Id(kConversation)));
  EXPECT_EQ(info.id, kConversation);
  EXPECT_EQ(info.last.value, 13U);
  EXPECT_EQ(info.turns, 3U);
  EXPECT_EQ(info.first_time, Timestamp{17});
  EXPECT_EQ(info.last_time, Timestamp{-3});
  std::uint64_t bytes = 0;
  const auto cursor = Must(log().ReadRaw(Id(kConversation)));
  for (Item item = Must(cursor->Next()); std::holds_alternative<Record>(item); item = Must(cursor->Next())) {
    bytes += std::get<Record>(item).payload.size();
  }
  EXPECT_EQ(info.bytes, bytes);
}

TEST_P(ReadTest, FindsEveryTurnOfMany) {
  std::vector<Event> events;
  for (int turn = 4; turn <= 300; ++turn) {
    events.push_back(NewTurn());
    for (int i = 0; i < turn % 7; ++i) events.push_back(Say(std::to_string(turn)));
    if (turn % 50 != 0) continue;
    Append(events);
    events.clear();
    Settle();
  }
  std::uint64_t start = 10;
  for (std::uint64_t turn = 4; turn <= 300; start += 1 + turn % 7, ++turn) {
    EXPECT_THAT(Read({.from_turn = Turn{turn}, .limit = 1}), ElementsAre(fmt::format("{} {} turn", start, turn)));
    EXPECT_THAT(Read({.from = {start}, .backward = true, .limit = 1}),
                ElementsAre(fmt::format("{} {} turn", start, turn)));
    EXPECT_EQ(Read({.last_turns = 301 - turn, .limit = 1}).front(), fmt::format("{} {} turn", start, turn));
    if (turn % 7 != 0) {
      const std::vector<std::string> last = Read({.from = {start + turn % 7}, .limit = 1});
      EXPECT_THAT(last, ElementsAre(fmt::format("{} {} {}", start + turn % 7, turn, turn)));
    }
  }
}

class CursorTest : public ConformanceTest {};

TURNLOG_FOR_ALL_ENGINES(CursorTest);

TEST_P(CursorTest, GivesWhatWasThereWhenItWasMade) {
  Must(Append("a", {Say("1"), Say("2"), Say("3")}));
  const auto forward = Must(log_->ReadRaw(Id("a")));
  const auto backward = Must(log_->ReadRaw(Id("a"), {.from = {0}, .backward = true}));
  EXPECT_EQ(Line(Must(forward->Next())), "1 0 1");
  EXPECT_EQ(Line(Must(backward->Next())), "3 0 3");
  Must(Append("a", {NewTurn(), Say("5")}));
  Must(log_->Checkpoint());
  Must(Append("a", Say("6")));
  EXPECT_THAT(Lines(*forward), ElementsAre("2 0 2", "3 0 3"));
  EXPECT_THAT(Lines(*backward), ElementsAre("2 0 2", "1 0 1"));
  EXPECT_EQ(Line(Must(forward->Next())), "end");
}

TEST_P(CursorTest, StaysValidWhileTheLogGrowsAndCheckpointsAreMade) {
  std::vector<std::string> expected;
  for (int i = 1; i <= 2000; ++i) expected.push_back(fmt::format("{} 0 {}", i, i));
  for (int i = 1; i <= 1000; ++i) Must(Append("a", Say(std::to_string(i))));
  Must(log_->Checkpoint());
  for (int i = 1001; i <= 2000; ++i) Must(Append("a", Say(std::to_string(i))));
  const auto forward = Must(log_->ReadRaw(Id("a")));
  const auto backward = Must(log_->ReadRaw(Id("a"), {.from = {0}, .backward = true}));
  for (std::size_t i = 0; i < 2000; ++i) {
    EXPECT_EQ(Line(Must(forward->Next())), expected[i]);
    EXPECT_EQ(Line(Must(backward->Next())), expected[1999 - i]);
    if (i % 100 == 0) Must(Append("a", Say("more")));
    if (i % 250 == 0) Must(log_->Checkpoint());
  }
  EXPECT_EQ(Line(Must(forward->Next())), "end");
  EXPECT_EQ(Line(Must(backward->Next())), "end");
}

// Events that are adjacent in the conversation but not in the log: another conversation is between any two.
TEST_P(CursorTest, ReadsAConversationThatLiesScattered) {
  std::vector<std::string> expected;
  for (int i = 1; i <= 400; ++i) {
    Must(Append("a", Say(std::to_string(i))));
    Must(Append("b", Say(std::string(static_cast<std::size_t>(i * i % 5000), 'b'))));
    expected.push_back(fmt::format("{} 0 {}", i, i));
  }
  EXPECT_EQ(Lines(*log_, "a"), expected);
  std::ranges::reverse(expected);
  EXPECT_EQ(Lines(*log_, "a", {.from = {0}, .backward = true}), expected);
}

TEST_P(CursorTest, GivesPayloadsOnAnAlignedAddress) {
  for (int i = 0; i < 100; ++i) Must(Append("a", Say(std::string(static_cast<std::size_t>(i), 'x'))));
  for (const bool backward : {false, true}) {
    const auto cursor = Must(log_->ReadRaw(Id("a"), {.from = {backward ? 0U : 1U}, .backward = backward}));
    int records = 0;
    for (Item item = Must(cursor->Next()); std::holds_alternative<Record>(item); item = Must(cursor->Next())) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(std::get<Record>(item).payload.data()) % 8, 0U);
      ++records;
    }
    EXPECT_EQ(records, 100);
  }
}

}  // namespace
}  // namespace turnlog::read_test
