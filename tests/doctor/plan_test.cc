// Plans: edits that are made later, if the file is still the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/doctor/session_files.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::plan_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class PlanTest : public testing::Test {
 protected:
  PlanTest() { WriteText(path_, OrphanedCall()); }

  std::string Plan() {
    const std::array<fs::path, 1> paths{path_};
    return WritePlan(Must(ExamineSessions(paths, {.action = DoctorAction::kPlan})));
  }

  TempDir folder_;
  const fs::path path_ = folder_ / "a.jsonl";
};

TEST_F(PlanTest, GivesWhatACopyGives) {
  auto plan = Must(ReadPlan(Plan()));
  ASSERT_EQ(plan.size(), 1U);
  ApplyPlan(plan, {.action = DoctorAction::kCopy, .out = folder_ / "out"});
  EXPECT_EQ(plan[0].problem, "");
  const SessionReport copied = Examine(path_, {.action = DoctorAction::kCopy});
  EXPECT_EQ(TextOf(folder_ / "out" / "a.jsonl"), TextOf(copied.written));
  EXPECT_EQ(TextOf(path_), OrphanedCall());
}

TEST_F(PlanTest, ReplacesTheFile) {
  auto plan = Must(ReadPlan(Plan()));
  ApplyPlan(plan, {.action = DoctorAction::kReplace, .idle_seconds = 0});
  EXPECT_EQ(plan[0].problem, "");
  EXPECT_EQ(TextOf(plan[0].backup), OrphanedCall());
  EXPECT_THAT(Examine(path_, {}).findings, IsEmpty());
}

TEST_F(PlanTest, IsRefusedIfTheFileHasChanged) {
  auto plan = Must(ReadPlan(Plan()));
  WriteText(path_, OrphanedCall() + "{}\n");
  ApplyPlan(plan, {.action = DoctorAction::kReplace, .idle_seconds = 0});
  EXPECT_NE(plan[0].problem, "");
  EXPECT_EQ(TextOf(path_), OrphanedCall() + "{}\n");
}

TEST_F(PlanTest, IsRefusedIfItsEditsGiveOtherContents) {
  auto plan = Must(ReadPlan(Plan()));
  plan[0].passes[0][0].text += ' ';
  ApplyPlan(plan, {.action = DoctorAction::kCopy, .out = folder_ / "out"});
  EXPECT_NE(plan[0].problem, "");
  plan[0].passes[0][0].end = UINT64_MAX;
  ApplyPlan(plan, {.action = DoctorAction::kCopy, .out = folder_ / "out"});
  EXPECT_NE(plan[0].problem, "");
  EXPECT_FALSE(fs::exists(folder_ / "out" / "a.jsonl"));
}

TEST_F(PlanTest, OfOtherContentsIsNotRead) {
  const std::string plan = Plan();
  for (const std::string& bad : {plan + "{}\n", "x" + plan, plan.substr(0, plan.size() - 5)}) {
    const auto read = ReadPlan(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_THAT(read.error().message, HasSubstr("line "));
  }
  EXPECT_THAT(Must(ReadPlan("")), IsEmpty());
}

}  // namespace
}  // namespace turnlog::plan_test
