#include "history/repair_set.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace turnlog::repair_set_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

RepairItem Drop(std::uint64_t seq, std::string rule = "r") {
  return {{RepairAction::kDrop, {seq}, {seq}, std::move(rule)}, std::nullopt};
}

RepairItem Insert(std::uint64_t after, std::uint64_t cause, std::string rule = "r") {
  return {{RepairAction::kInsert, {after}, {cause}, std::move(rule)}, Event{}};
}

RepairItem Move(std::uint64_t seq, std::uint64_t after) {
  return {{RepairAction::kMove, {after}, {seq}, "m"}, std::nullopt};
}

StoredRepair At(std::uint64_t seq, std::vector<RepairItem> items) {
  StoredRepair stored{.seq = {seq}, .repair = {}};
  stored.repair.items = std::move(items);
  return stored;
}

StoredRepair Retract(std::uint64_t seq, const std::vector<RepairItem>& items) {
  StoredRepair stored = At(seq, {});
  for (const RepairItem& item : items) stored.repair.retracts.push_back({item.target});
  return stored;
}

StoredRepair Undo(std::uint64_t seq, std::vector<Seq> undoes) {
  StoredRepair stored = At(seq, {});
  stored.repair.undoes = std::move(undoes);
  return stored;
}

std::vector<std::string> Names(const std::vector<RepairItem>& items) {
  std::vector<std::string> names;
  for (const auto& [target, event, extra] : items) {
    if (target.action == RepairAction::kDrop) names.push_back(fmt::format("drop {}", target.anchor.value));
    if (target.action == RepairAction::kMove) {
      names.push_back(fmt::format("move {} {}", target.cause.value, target.anchor.value));
    }
    if (target.action != RepairAction::kInsert) continue;
    names.push_back(fmt::format("insert {} {} {}", target.anchor.value, target.cause.value, target.rule));
  }
  return names;
}

std::vector<std::string> Active(const std::vector<StoredRepair>& repairs) { return Names(FoldRepairs(repairs).active); }
std::vector<std::string> Suppressed(const std::vector<StoredRepair>& repairs) {
  return Names(FoldRepairs(repairs).suppressed);
}

TEST(RepairSet, IsEmptyWithoutRepairs) {
  EXPECT_THAT(Active({}), IsEmpty());
  EXPECT_THAT(Suppressed({}), IsEmpty());
}

TEST(RepairSet, GivesItemsByAnchorAndThoseOfAnAnchorAsTheyWereRecorded) {
  EXPECT_THAT(
      Active({At(20, {Insert(7, 2, "z"), Drop(3), Insert(7, 1, "a")}), At(21, {Insert(7, 0, "b"), Move(9, 0)})}),
      ElementsAre("move 9 0", "drop 3", "insert 7 2 z", "insert 7 1 a", "insert 7 0 b"));
}

TEST(RepairSet, KeepsTheFirstOfTwoThatAreAlike) {
  StoredRepair second = At(21, {Insert(7, 2)});
  second.repair.items[0].event->body = ChatRequest{.content = "other"};
  const RepairSet set = FoldRepairs(std::vector{At(20, {Insert(7, 2)}), second});
  ASSERT_EQ(set.active.size(), 1U);
  EXPECT_EQ(set.active[0].event, Event{});
}

TEST(RepairSet, LeavesOutWhatALaterOneRetracts) {
  EXPECT_THAT(Active({At(20, {Drop(3), Drop(4)}), Retract(21, {Drop(3)})}), ElementsAre("drop 4"));
  EXPECT_THAT(Suppressed({At(20, {Drop(3), Drop(4)}), Retract(21, {Drop(3)})}), IsEmpty());
}

TEST(RepairSet, RetractsOnlyWhatIsAlikeInEverything) {
  const StoredRepair first = At(20, {Insert(3, 2, "r")});
  for (const RepairItem& other : {Insert(3, 1, "r"), Insert(2, 2, "r"), Insert(3, 2, "s"), Move(2, 3)}) {
    EXPECT_THAT(Active({first, Retract(21, {other})}), ElementsAre("insert 3 2 r"));
  }
}

TEST(RepairSet, RetractsOnlyWhatWasThereBefore) {
  EXPECT_THAT(Active({Retract(20, {Drop(3)}), At(21, {Drop(3)})}), ElementsAre("drop 3"));
}

// So an item can be replaced by another of the same name.
TEST(RepairSet, RetractsBeforeItAdds) {
  StoredRepair second = Retract(21, {Insert(3, 2)});
  second.repair.items = {Insert(3, 2)};
  second.repair.items[0].event->body = ChatRequest{.content = "new"};
  const RepairSet set = FoldRepairs(std::vector{At(20, {Insert(3, 2)}), second});
  ASSERT_EQ(set.active.size(), 1U);
  EXPECT_EQ(set.active[0].event->kind(), EventKind::kChatRequest);
}

TEST(RepairSet, AddsAgainWhatWasRetracted) {
  EXPECT_THAT(Active({At(20, {Drop(3)}), Retract(21, {Drop(3)}), At(22, {Drop(3)})}), ElementsAre("drop 3"));
}

TEST(RepairSet, DeclinesWhatSomebodyHasUndone) {
  const std::vector repairs{At(20, {Drop(3)}), At(21, {Drop(4)}), Undo(22, {{20}})};
  EXPECT_THAT(Active(repairs), ElementsAre("drop 4"));
  EXPECT_THAT(Suppressed(repairs), ElementsAre("drop 3"));
}

TEST(RepairSet, AnUndoCanBeUndoneAndThatToo) {
  std::vector repairs{At(20, {Drop(3)}), Undo(21, {{20}}), Undo(22, {{21}})};
  EXPECT_THAT(Active(repairs), ElementsAre("drop 3"));
  EXPECT_THAT(Suppressed(repairs), IsEmpty());
  repairs.push_back(Undo(23, {{22}}));
  EXPECT_THAT(Active(repairs), IsEmpty());
  EXPECT_THAT(Suppressed(repairs), ElementsAre("drop 3"));
}

TEST(RepairSet, AnUndoneRetractionIsNone) {
  EXPECT_THAT(Active({At(20, {Drop(3)}), Retract(21, {Drop(3)}), Undo(22, {{21}})}), ElementsAre("drop 3"));
}

TEST(RepairSet, OnlyUndoesWhatCameBefore) {
  EXPECT_THAT(Active({Undo(20, {{20}, {21}}), At(21, {Drop(3)})}), ElementsAre("drop 3"));
}

TEST(RepairSet, IsNotSuppressedIfItIsActiveInAnotherRepair) {
  const std::vector repairs{At(20, {Drop(3), Drop(4)}), Undo(21, {{20}}), At(22, {Drop(3)})};
  EXPECT_THAT(Active(repairs), ElementsAre("drop 3"));
  EXPECT_THAT(Suppressed(repairs), ElementsAre("drop 4"));
}

}  // namespace
}  // namespace turnlog::repair_set_test
