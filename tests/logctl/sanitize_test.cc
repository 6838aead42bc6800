// sanitize, repairs, scavenge: as an operator uses them.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/logctl/logctl_test.h"

namespace turnlog::sanitize_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A turn that is over with a call that has no result and, in the next, a result that has no call.
constexpr const char* kBad = R"({"type":"turn_start"}
{"type":"chat_request","content":"hi"}
{"type":"tool_call_request","id":"t1","name":"ls","arguments":{}}
{"type":"chat_response","message":"ok"}
{"type":"turn_start"}
{"type":"chat_request","content":"again"}
{"type":"tool_call_response","id":"t9","content":"late","is_error":false}
{"type":"chat_response","message":"ok"})";

constexpr const char* kGood = R"({"type":"turn_start"}
{"type":"chat_request","content":"hi"}
{"type":"chat_response","message":"ok"})";

class SanitizeTest : public LogctlTest {
 protected:
  void SetUp() override {
    Append("bad", kBad);
    Append("good", kGood);
  }

  // Conversations "c10" to the one before "c<end>", each with these lines.
  void AppendMany(int end, const std::string& lines) {
    std::string file;
    for (int i = 10; i < end; ++i) {
      for (const std::string& line : Lines(lines)) {
        file += "{\"conversation\":\"c" + std::to_string(i) + "\"," + line.substr(1) + "\n";
      }
    }
    ASSERT_EQ(Logctl({"import", "jsonl", WriteFile("many.jsonl", file)}).exit_code, 0);
  }

  // Whether any file of the log contains the bytes.
  bool InTheLog(const std::string& bytes) {
    for (const auto& entry : std::filesystem::directory_iterator(store() + "/log")) {
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      if (text.str().find(bytes) != std::string::npos) return true;
    }
    return false;
  }
};

TEST_F(SanitizeTest, DryRunPrintsThePlanAndWritesNothing) {
  const std::string before = Output({"cat", "bad", "--raw"});
  for (const char* profile : {"jp082", "strict"}) {
    const std::string text = Output({"sanitize", "--profile", profile, "--dry-run"});
    EXPECT_THAT(text, HasSubstr("bad  up to event 8\n"
                                "  drop     event 7       orphan-tool-result        tool_call_response  t9\n"
                                "  insert   after 3       interrupted-tool-call     tool_call_response  t1\n"));
    EXPECT_THAT(text, Not(HasSubstr("good")));
    EXPECT_THAT(text, EndsWith("1 of 2 conversations would change; nothing was written\n"));
  }
  EXPECT_EQ(Output({"cat", "bad", "--raw"}), before);
}

TEST_F(SanitizeTest, DryRunGivesThePlanAsJson) {
  const auto json = Json({"sanitize", "--dry-run"});
  EXPECT_EQ(json["profile"].Text(), "strict");
  EXPECT_TRUE(json["dry_run"].Flag());
  EXPECT_EQ(json["conversations_checked"].Number(), 2u);
  EXPECT_EQ(json["conversations_changed"].Number(), 1u);
  EXPECT_EQ(json["conversations_failed"].Number(), 0u);
  EXPECT_EQ(json["rules"]["orphan-tool-result"].Number(), 1u);
  ASSERT_EQ(json["conversations"].Size(), 1u);
  const auto plan = json["conversations"][0];
  EXPECT_EQ(plan["id"].Text(), "bad");
  EXPECT_EQ(plan["head"].Number(), 8u);
  EXPECT_EQ(plan["repairs"].Size(), 0u);
  EXPECT_EQ(plan["drops"][0]["seq"].Number(), 7u);
  EXPECT_EQ(plan["inserts"][0]["after"].Number(), 3u);
  EXPECT_EQ(plan["inserts"][0]["event"]["content"].Text(), "Tool call was interrupted.");
}

TEST_F(SanitizeTest, RepairsTheViewAndKeepsTheLog) {
  const std::string before = Output({"cat", "bad", "--raw"});
  EXPECT_EQ(Output({"sanitize"}),
            "bad  1 dropped, 1 inserted  (event 9)\n"
            "       1  interrupted-tool-call\n"
            "       1  orphan-tool-result\n"
            "1 of 2 conversations repaired\n");
  EXPECT_THAT(Output({"cat", "bad", "--raw"}), StartsWith(before));
  const std::string view = Output({"cat", "bad"});
  EXPECT_THAT(view, HasSubstr("Tool call was interrupted."));
  EXPECT_THAT(view, Not(HasSubstr("late")));
}

TEST_F(SanitizeTest, AgainChangesNothingAndReadsNothing) {
  Output({"sanitize"});
  const std::string after = Output({"cat", "bad", "--raw"});
  const auto again = Json({"sanitize"});
  EXPECT_EQ(again["conversations_checked"].Number(), 0u);
  EXPECT_EQ(again["events_read"].Number(), 0u);
  const auto all = Json({"sanitize", "--all"});
  EXPECT_EQ(all["conversations_checked"].Number(), 2u);
  EXPECT_EQ(all["conversations_changed"].Number(), 0u);
  EXPECT_EQ(Output({"cat", "bad", "--raw"}), after);
}

TEST_F(SanitizeTest, ReadsOnlyConversationsThatHaveGrown) {
  AppendMany(30, kGood);
  Output({"sanitize", "--jobs", "3"});
  Append("c17", kBad);
  Append("new", kGood);
  const auto json = Json({"sanitize", "--jobs", "3"});
  EXPECT_EQ(json["conversations_checked"].Number(), 2u);
  EXPECT_EQ(json["conversations_changed"].Number(), 1u);
  EXPECT_EQ(json["conversations"][0]["id"].Text(), "c17");
}

TEST_F(SanitizeTest, ReportsInOrderHoweverManyWork) {
  AppendMany(500, kBad);
  const std::string alone = Output({"sanitize", "--dry-run", "--jobs", "1"});
  EXPECT_EQ(Output({"sanitize", "--dry-run", "--jobs", "16"}), alone);
  EXPECT_THAT(Output({"sanitize", "--jobs", "16"}), EndsWith("491 of 492 conversations repaired\n"));
}

TEST_F(SanitizeTest, ChecksOnlyTheConversationsNamed) {
  EXPECT_EQ(Output({"sanitize", "good", "--dry-run"}), "1 conversation checked: nothing to repair\n");
}

TEST_F(SanitizeTest, CheckEndsWithThreeUntilItIsRepaired) {
  EXPECT_EQ(Logctl({"sanitize", "--check"}).exit_code, 3);
  EXPECT_EQ(Logctl({"sanitize", "--check", "good"}).exit_code, 0);
  Output({"sanitize"});
  EXPECT_EQ(Logctl({"sanitize", "--check", "--all"}).exit_code, 0);
}

TEST_F(SanitizeTest, LeavesAPendingInquiryAloneUnlessCloseOpenIsGiven) {
  Append("open", R"({"type":"turn_start"}
{"type":"chat_request","content":"hi"}
{"type":"tool_call_request","id":"t1","name":"ls","arguments":{}}
{"type":"inquiry_request","id":"t1.q.1","source":{"source":"tool","name":"ls"},"question":{"text":"Sure?","answer_type":{"type":"boolean"}}})");
  EXPECT_THAT(Output({"sanitize", "open"}), AllOf(HasSubstr("nothing to repair"), HasSubstr("2 problems left alone")));
  EXPECT_THAT(Output({"sanitize", "open", "--close-open"}), HasSubstr("2 inserted"));
  EXPECT_THAT(Output({"cat", "open"}), HasSubstr("interrupted"));
  Append("open", R"({"type":"inquiry_response","outcome":"answered","id":"t1.q.1","answer":true})");
  EXPECT_THAT(Output({"sanitize", "open"}), HasSubstr("2 retracted"));
  EXPECT_THAT(Output({"cat", "open"}), Not(HasSubstr("cancelled")));
}

TEST_F(SanitizeTest, OnlyADryRunWorksBesideAWriter) {
  const auto writer = Open(OpenMode::kWrite, "an agent");
  EXPECT_EQ(Logctl({"sanitize", "--check"}).exit_code, 3);
  EXPECT_THAT(Output({"sanitize", "--dry-run"}), HasSubstr("1 of 2 conversations would change"));
  EXPECT_THAT(Logctl({"sanitize"}), FailsWith(1, "an agent"));
}

TEST_F(SanitizeTest, RefusesWrongUsage) {
  EXPECT_THAT(Logctl({"sanitize", "--profile", "tidy", "--dry-run"}), Fails(2));
  EXPECT_THAT(Logctl({"sanitize", "--profile", "jp082", "--close-open", "--dry-run"}), Fails(2));
  EXPECT_THAT(Logctl({"sanitize", "good", "--all"}), Fails(2));
  EXPECT_THAT(Logctl({"sanitize", "--jobs", "0"}), Fails(2));
  EXPECT_THAT(Logctl({"sanitize", "godo"}), FailsWith(1, " good?"));
  EXPECT_THAT(Logctl({"--store", (folder_ / "nowhere").string(), "sanitize"}), Fails(1));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "nowhere"));
}

using RepairsTest = SanitizeTest;

TEST_F(RepairsTest, AreListedAndUndone) {
  EXPECT_EQ(Json({"repairs", "bad"})["repairs"].Size(), 0u);
  const std::string raw = Output({"cat", "bad"});
  Output({"sanitize"});
  EXPECT_THAT(Output({"repairs", "bad"}), AllOf(HasSubstr("active"), HasSubstr("1 dropped, 1 inserted")));
  EXPECT_EQ(Json({"repairs", "bad", "--undo", "9"})["seq"].Number(), 10u);
  EXPECT_EQ(Output({"cat", "bad"}), raw);
  EXPECT_EQ(Json({"repairs", "bad"})["repairs"][0]["state"].Text(), "undone");
  EXPECT_THAT(Output({"sanitize", "--all"}), HasSubstr("nothing to repair"));
  EXPECT_EQ(Json({"repairs", "bad", "--undo", "10"})["seq"].Number(), 11u);
  EXPECT_THAT(Output({"cat", "bad"}), HasSubstr("Tool call was interrupted."));
}

TEST_F(RepairsTest, UndoRefusesAnEventThatIsNoRepair) {
  Output({"sanitize"});
  EXPECT_EQ(Logctl({"repairs", "bad", "--undo", "3"}).exit_code, 1);
  EXPECT_EQ(Logctl({"repairs", "bad", "--undo", "99"}).exit_code, 1);
  EXPECT_EQ(Logctl({"repairs", "bad", "--undo", "9"}).exit_code, 0);
  EXPECT_EQ(Logctl({"repairs", "bad", "--undo", "9"}).exit_code, 1);
}

using ScavengeTest = SanitizeTest;

TEST_F(ScavengeTest, ErasesWhatWasDroppedAndKeepsTheView) {
  Output({"sanitize"});
  const std::string view = Output({"cat", "bad"});
  ASSERT_TRUE(InTheLog("late"));
  EXPECT_THAT(Output({"scavenge", "--dry-run"}), HasSubstr("nothing was written"));
  ASSERT_TRUE(InTheLog("late"));
  EXPECT_THAT(Output({"scavenge"}), AllOf(HasSubstr("bad  1 event"), HasSubstr("erased for good")));
  EXPECT_FALSE(InTheLog("late"));
  EXPECT_EQ(Output({"cat", "bad"}), view);
  EXPECT_THAT(Output({"scavenge"}), StartsWith("0 conversations checked")) << "none has grown";
  EXPECT_THAT(Output({"scavenge", "bad"}), HasSubstr("nothing to erase"));
  EXPECT_THAT(Output({"sanitize", "--all"}), HasSubstr("nothing to repair"));
  EXPECT_EQ(Logctl({"verify"}).exit_code, 0);
}

TEST_F(ScavengeTest, KeepsEventsThatAreNotDroppedOrWhoseRepairIsUndone) {
  EXPECT_THAT(Output({"scavenge"}), HasSubstr("nothing to erase"));
  Output({"sanitize"});
  EXPECT_EQ(Logctl({"repairs", "bad", "--undo", "9"}).exit_code, 0);
  EXPECT_THAT(Output({"scavenge", "bad"}), HasSubstr("nothing to erase"));
  EXPECT_TRUE(InTheLog("late"));
}

TEST_F(ScavengeTest, LeavesTheBeginningOfTheLastTurn) {
  Append("bad", R"({"type":"turn_start"})");
  EXPECT_THAT(Output({"sanitize", "bad", "--close-open"}), HasSubstr("empty-turn"));
  EXPECT_THAT(Output({"scavenge"}), HasSubstr("bad  1 event"));
  Append("bad", R"({"type":"chat_request","content":"and now?"}
{"type":"chat_response","message":"ok"})");
  EXPECT_THAT(Output({"sanitize", "bad"}), HasSubstr("1 retracted"));
  EXPECT_THAT(Output({"show", "bad"}), Not(HasSubstr("inserted: missing")));
}

TEST_F(ScavengeTest, GivesAReportAsJson) {
  Output({"sanitize"});
  const auto json = Json({"scavenge"});
  EXPECT_FALSE(json["dry_run"].Flag());
  EXPECT_EQ(json["events"].Number(), 1u);
  EXPECT_GT(json["bytes"].Number(), 0u);
  EXPECT_EQ(json["conversations"][0]["id"].Text(), "bad");
  EXPECT_EQ(json["conversations"][0]["events"][0].Number(), 7u);
}

}  // namespace
}  // namespace turnlog::sanitize_test
