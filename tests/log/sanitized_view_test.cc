// The sanitized view on a real store.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "tests/store/log_fixture.h"
#include "tests/support/story.h"
#include "turnlog/repair.h"

namespace turnlog::sanitized_view_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

RepairItem Drop(std::uint64_t seq) { return {{RepairAction::kDrop, {seq}, {seq}, "drop-rule"}, std::nullopt}; }
RepairItem Move(std::uint64_t seq, std::uint64_t after) {
  return {{RepairAction::kMove, {after}, {seq}, "move-rule"}, std::nullopt};
}
RepairItem Insert(std::uint64_t after, std::string_view word) {
  return {{RepairAction::kInsert, {after}, {after}, fmt::format("insert-{}", word)}, Story(word).front()};
}

// "SEQ/TURN WORD", "+/TURN WORD RULE" where it is inserted, "SEQ/TURN WORD RULE" where it is moved; "damage SEQ".
std::string ViewLine(const Item& item) {
  if (const auto* damage = std::get_if<Damage>(&item)) return fmt::format("damage {}", damage->seq);
  const auto& record = std::get<Record>(item);
  const Event event = Own(Must(record.Decode()));
  EXPECT_EQ(record.kind, event.kind());
  EXPECT_EQ(record.conversation, "a");
  EXPECT_EQ(record.inserted, record.seq.value == 0);
  std::string line = record.inserted ? "+" : fmt::format("{}", record.seq.value);
  line += fmt::format("/{} {}", record.turn.value, ToStory({event}));
  if (!record.rule.empty()) line += fmt::format(" {}", record.rule);
  return line;
}

class SanitizedViewTest : public LogTest {
 protected:
  // Appends to conversation "a".
  void AppendStory(std::string_view words) { Must(Append("a", Story(words))); }

  Seq Last() { return Must(log_->Info(Id("a"))).last; }

  // Appends the repair that has these items.
  void AppendRepair(std::vector<RepairItem> items, std::vector<RepairTarget> retracts = {},
                    std::vector<Seq> undoes = {}) {
    Repair repair{.profile = "test", .head = Last(), .from = Last(), .to = Seq{0}};
    repair.items = std::move(items);
    for (RepairTarget& target : retracts) repair.retracts.push_back({std::move(target)});
    repair.undoes = std::move(undoes);
    const auto touch = [&](const RepairTarget& target) {
      repair.from = std::min({repair.from, target.anchor, target.cause});
      repair.to = std::max({repair.to, target.anchor, target.cause});
    };
    for (const RepairItem& item : repair.items) touch(item.target);
    for (const RepairItem& item : repair.retracts) touch(item.target);
    if (!repair.undoes.empty()) repair.from = Seq{0}, repair.to = repair.head;
    Must(Append("a", ToEvent(repair, std::nullopt)));
  }

  std::vector<std::string> View(const ReadOptions& options = {}) {
    const auto cursor = Must(log_->Read(Id("a"), options));
    std::vector<std::string> lines;
    for (;;) {
      const Item item = Must(cursor->Next());
      if (std::holds_alternative<EndOfLog>(item)) break;
      lines.push_back(ViewLine(item));
    }
    EXPECT_TRUE(std::holds_alternative<EndOfLog>(Must(cursor->Next()))) << "once at its end, it stays there";
    return lines;
  }

  // Flips a bit of the only record that contains `text`.
  void Damage(std::string_view text) {
    Close();
    for (const auto& entry : std::filesystem::directory_iterator(path() / "log")) {
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      const std::size_t at = bytes.find(text);
      if (at == std::string::npos) continue;
      file.clear();
      file.seekp(static_cast<std::streamoff>(at));
      file.put(static_cast<char>(bytes[at] ^ 1));
      return Open(OpenMode::kRead);
    }
    FAIL() << "no record holds " << text;
  }
};

TEST_F(SanitizedViewTest, IsTheLogWithoutRepairs) {
  AppendStory("T CR ?");
  EXPECT_THAT(View(), ElementsAre("1/1 T", "2/1 CR", "3/1 ?"));
  EXPECT_THAT(View({.from = {0}, .backward = true, .limit = 2}), ElementsAre("3/1 ?", "2/1 CR"));
}

TEST_F(SanitizedViewTest, LeavesOutWhatIsDropped) {
  AppendStory("T CR R:x M");
  AppendRepair({Drop(3)});
  EXPECT_THAT(View(), ElementsAre("1/1 T", "2/1 CR", "4/1 M"));
}

TEST_F(SanitizedViewTest, ShowsInsertedEventsInOrder) {
  AppendStory("T CR Q:a Q:b M");
  AppendRepair({Insert(3, "E:a"), Insert(4, "E:b"), Insert(4, "C{0,0}")});
  EXPECT_THAT(View(), ElementsAre("1/1 T", "2/1 CR", "3/1 Q:a", "+/1 E:a insert-E:a", "4/1 Q:b", "+/1 E:b insert-E:b",
                                  "+/1 C{0,0} insert-C{0,0}", "5/1 M"));
  EXPECT_THAT(View({.from = {0}, .backward = true}),
              ElementsAre("5/1 M", "+/1 C{0,0} insert-C{0,0}", "+/1 E:b insert-E:b", "4/1 Q:b", "+/1 E:a insert-E:a",
                          "3/1 Q:a", "2/1 CR", "1/1 T"));
}

TEST_F(SanitizedViewTest, ShowsMovedEventsOnlyWhereTheyWereMoved) {
  AppendStory("T CR Q:a M T CR R:a M");
  AppendRepair({Move(7, 3)});
  EXPECT_THAT(View(),
              ElementsAre("1/1 T", "2/1 CR", "3/1 Q:a", "7/1 R:a move-rule", "4/1 M", "5/2 T", "6/2 CR", "8/2 M"));
  EXPECT_THAT(View({.from = {5}}), ElementsAre("5/2 T", "6/2 CR", "8/2 M"));
}

TEST_F(SanitizedViewTest, MovesForwardsToo) {
  AppendStory("T CR Q:a M");
  AppendRepair({Move(2, 4), Move(1, 0)});
  EXPECT_THAT(View(), ElementsAre("1/0 T move-rule", "3/1 Q:a", "4/1 M", "2/1 CR move-rule"));
}

// Events inserted before the first one are shown with event 1, even if that is dropped.
TEST_F(SanitizedViewTest, BeginsWithEventsInsertedBeforeTheFirst) {
  AppendStory("CR M T");
  AppendRepair({Insert(0, "T"), Drop(1)});
  const std::vector<std::string> all{"+/0 T insert-T", "2/0 M", "3/1 T"};
  EXPECT_EQ(View(), all);
  EXPECT_EQ(View({.from = {0}}), all);
  EXPECT_EQ(View({.from_turn = Turn{0}}), all);
  EXPECT_EQ(View({.last_turns = 2}), all);
  EXPECT_THAT(View({.from = {2}}), ElementsAre("2/0 M", "3/1 T"));
  EXPECT_THAT(View({.last_turns = 1}), ElementsAre("3/1 T"));
  EXPECT_THAT(View({.from = {1}, .backward = true}), ElementsAre("+/0 T insert-T"));
  EXPECT_THAT(View({.from = {0}, .backward = true}), ElementsAre("3/1 T", "2/0 M", "+/0 T insert-T"));
}

TEST_F(SanitizedViewTest, ReadsFromASeqWithWhatIsShownAfterIt) {
  AppendStory("T CR Q:a M");
  AppendRepair({Insert(2, "C{0,0}"), Insert(3, "E:a")});
  EXPECT_THAT(View({.from = {3}}), ElementsAre("3/1 Q:a", "+/1 E:a insert-E:a", "4/1 M"));
  EXPECT_THAT(View({.from = {3}, .backward = true}),
              ElementsAre("+/1 E:a insert-E:a", "3/1 Q:a", "+/1 C{0,0} insert-C{0,0}", "2/1 CR", "1/1 T"));
  EXPECT_THAT(View({.from = {9}}), IsEmpty());
}

TEST_F(SanitizedViewTest, LimitCountsWhatIsGiven) {
  AppendStory("T CR R:x R:y Q:a M");
  AppendRepair({Drop(3), Drop(4), Insert(5, "E:a")});
  EXPECT_THAT(View({.limit = 4}), ElementsAre("1/1 T", "2/1 CR", "5/1 Q:a", "+/1 E:a insert-E:a"));
  EXPECT_THAT(View({.from = {3}, .limit = 1}), ElementsAre("5/1 Q:a"));
  EXPECT_THAT(View({.from = {0}, .backward = true, .limit = 3}), ElementsAre("6/1 M", "+/1 E:a insert-E:a", "5/1 Q:a"));
  EXPECT_THAT(View({.limit = 0}), IsEmpty());
}

TEST_F(SanitizedViewTest, TurnsAreThoseOfTheLog) {
  AppendStory("T T CR M T CR M");
  AppendRepair({Drop(1)});
  EXPECT_THAT(View(), ElementsAre("2/2 T", "3/2 CR", "4/2 M", "5/3 T", "6/3 CR", "7/3 M"));
  EXPECT_THAT(View({.from_turn = Turn{2}, .limit = 1}), ElementsAre("2/2 T"));
  EXPECT_THAT(View({.last_turns = 1}), ElementsAre("5/3 T", "6/3 CR", "7/3 M"));
  EXPECT_THAT(View({.last_turns = 0}), IsEmpty());
  EXPECT_THAT(View({.last_turns = 9, .limit = 1}), ElementsAre("2/2 T"));
  EXPECT_THAT(View({.from_turn = Turn{9}}), IsEmpty());
  EXPECT_THAT(View({.last_turns = 1, .backward = true}), ElementsAre("7/3 M", "6/3 CR", "5/3 T"));
}

TEST_F(SanitizedViewTest, ContinuesAfterRepairs) {
  AppendStory("T CR Q:a");
  AppendRepair({Insert(3, "E:a")});
  AppendStory("M");
  AppendRepair({Insert(5, "C{0,0}")});
  EXPECT_THAT(View(),
              ElementsAre("1/1 T", "2/1 CR", "3/1 Q:a", "+/1 E:a insert-E:a", "5/1 M", "+/1 C{0,0} insert-C{0,0}"));
}

// After a `repair` event, which itself is not shown.
TEST_F(SanitizedViewTest, ShowsWhatIsInsertedAfterARepair) {
  AppendStory("T CR");
  AppendRepair({Drop(1)});
  AppendRepair({Insert(3, "C{0,0}")});
  EXPECT_THAT(View(), ElementsAre("2/1 CR", "+/1 C{0,0} insert-C{0,0}"));
}

TEST_F(SanitizedViewTest, KnowsNothingOfWhatIsRetracted) {
  AppendStory("T CR Q:a M T CR R:a M");
  AppendRepair({Insert(3, "E:a"), Drop(7)});
  AppendRepair({Move(7, 3)}, {Insert(3, "E:a").target, Drop(7).target});
  EXPECT_THAT(View({.limit = 5}), ElementsAre("1/1 T", "2/1 CR", "3/1 Q:a", "7/1 R:a move-rule", "4/1 M"));
}

TEST_F(SanitizedViewTest, KnowsNothingOfWhatIsUndone) {
  AppendStory("T CR R:x M");
  AppendRepair({Drop(3)});
  AppendRepair({}, {}, {Seq{5}});
  EXPECT_THAT(View(), ElementsAre("1/1 T", "2/1 CR", "3/1 R:x", "4/1 M"));
  AppendRepair({}, {}, {Seq{6}});
  EXPECT_THAT(View(), ElementsAre("1/1 T", "2/1 CR", "4/1 M"));
}

TEST_F(SanitizedViewTest, IsThatOfTheMomentItWasAskedFor) {
  AppendStory("T CR Q:a");
  AppendRepair({Insert(3, "E:a")});
  const auto forward = Must(log_->Read(Id("a")));
  const auto last_turn = Must(log_->Read(Id("a"), {.last_turns = 1}));
  AppendStory("R:a T");
  AppendRepair({Drop(1)}, {Insert(3, "E:a").target});
  for (const auto& cursor : {forward.get(), last_turn.get()}) {
    std::vector<std::string> lines;
    for (Item item = Must(cursor->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(cursor->Next())) {
      lines.push_back(ViewLine(item));
    }
    EXPECT_THAT(lines, ElementsAre("1/1 T", "2/1 CR", "3/1 Q:a", "+/1 E:a insert-E:a"));
  }
}

TEST_F(SanitizedViewTest, IsNotFoundWhereThereIsNoConversation) {
  EXPECT_EQ(CodeOf(log_->Read(Id("none"))), "not found");
}

TEST_F(SanitizedViewTest, IsTheSameFromDisk) {
  AppendStory("T CR Q:a M T CR R:a M");
  AppendRepair({Insert(0, "C{0,0}"), Move(7, 3), Drop(5)});
  const auto before = View();
  Reopen(OpenMode::kRead);
  EXPECT_EQ(View(), before);
}

TEST_F(SanitizedViewTest, MovesNothingThatIsNotThere) {
  AppendStory("T CR");
  Repair repair{.profile = "test", .head = {99}, .from = {1}, .to = {99}};
  repair.items = {Move(99, 1), Drop(50)};
  Must(Append("a", ToEvent(repair, std::nullopt)));
  EXPECT_THAT(View(), ElementsAre("1/1 T", "2/1 CR"));
}

TEST_F(SanitizedViewTest, LeavesOutWhatIsErased) {
  AppendStory("T CR M T CR");
  Must(log_->Erase(Id("a"), std::vector{Seq{2}, Seq{4}}));
  EXPECT_THAT(View(), ElementsAre("1/1 T", "3/1 M", "5/2 CR"));
  EXPECT_THAT(View({.limit = 3}), ElementsAre("1/1 T", "3/1 M", "5/2 CR"));
  EXPECT_THAT(View({.limit = 2}), ElementsAre("1/1 T", "3/1 M"));
  EXPECT_THAT(View({.from = {2}, .limit = 1}), ElementsAre("3/1 M"));
  EXPECT_THAT(View({.from = {0}, .backward = true, .limit = 2}), ElementsAre("5/2 CR", "3/1 M"));
  EXPECT_THAT(View({.from = {2}, .backward = true, .limit = 9}), ElementsAre("1/1 T"));
  EXPECT_THAT(View({.from_turn = Turn{2}, .backward = true, .limit = 2}), ElementsAre("5/2 CR"));
  EXPECT_THAT(View({.last_turns = 2, .limit = 2}), ElementsAre("1/1 T", "3/1 M"));
  EXPECT_THAT(View({.last_turns = 2, .backward = true, .limit = 2}), ElementsAre("5/2 CR", "3/1 M"));
  Must(log_->Erase(Id("a"), std::vector{Seq{1}, Seq{5}}));
  EXPECT_THAT(View({.from = {0}, .backward = true, .limit = 2}), ElementsAre("3/1 M"));
}

TEST_F(SanitizedViewTest, KeepsWhatIsInsertedAfterErasedEvents) {
  AppendStory("T CR Q:a M T CR R:a");
  AppendRepair({Insert(3, "E:a"), Drop(3), Drop(5), Move(7, 4)});
  Must(log_->Erase(Id("a"), std::vector{Seq{3}, Seq{5}}));
  const std::vector<std::string> view{"1/1 T", "2/1 CR", "+/1 E:a insert-E:a", "4/1 M", "7/1 R:a move-rule", "6/2 CR"};
  EXPECT_EQ(View(), view);
  EXPECT_THAT(View({.from = {3}, .limit = 1}), ElementsAre("+/1 E:a insert-E:a"));
  Must(log_->Erase(Id("a"), std::vector{Seq{7}}));
  EXPECT_THAT(View({.from = {4}}), ElementsAre("4/1 M", "6/2 CR")) << "what is moved may be erased, too";
}

TEST_F(SanitizedViewTest, PassesDamageOn) {
  Must(Append("a", {Story("T")[0], Say("first words"), Say("last words"), Story("M")[0]}));
  AppendRepair({Drop(1), Drop(2), Move(3, 0)});
  Damage("first words");
  EXPECT_THAT(View(), ElementsAre("3/0 CR move-rule", "damage 2", "4/1 M"));
}

TEST_F(SanitizedViewTest, PassesDamageOfAMovedEventOn) {
  Must(Append("a", {Story("T")[0], Say("first words"), Say("last words"), Story("M")[0]}));
  AppendRepair({Move(3, 1)});
  Damage("last words");
  EXPECT_THAT(View({.limit = 2}), ElementsAre("1/1 T", "damage 3"));
}

// Its contents are unknown, so the view cannot be trusted within its range.
TEST_F(SanitizedViewTest, SaysWhereARepairIsLostAndShowsTheLogThere) {
  AppendStory("T CR R:x R:y M");
  AppendRepair({Drop(3)});
  AppendRepair({Drop(4)});
  Damage("drop-rule");
  EXPECT_THAT(View(), ElementsAre("1/1 T", "2/1 CR", "damage 6", "3/1 R:x", "5/1 M"));
  EXPECT_THAT(View({.from = {4}}), ElementsAre("5/1 M", "damage 6"));
  EXPECT_THAT(View({.from = {3}, .limit = 2}), ElementsAre("damage 6", "3/1 R:x"));
  EXPECT_THAT(View({.from = {0}, .backward = true}), ElementsAre("damage 6", "5/1 M", "3/1 R:x", "2/1 CR", "1/1 T"));
}

}  // namespace
}  // namespace turnlog::sanitized_view_test
