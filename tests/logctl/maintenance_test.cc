// verify and reindex; and how all commands report damage.
#include <filesystem>
#include <fstream>

#include "tests/logctl/logctl_test.h"

namespace turnlog::maintenance_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class MaintenanceTest : public LogctlTest {
 protected:
  // Changes a byte of the stored event that holds `text`.
  void Damage(const std::string& text) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(store())) {
      if (entry.path().extension() != ".seg") continue;
      const std::string name = std::filesystem::relative(entry.path(), folder_.path()).string();
      std::string bytes = ReadFile(name);
      const std::size_t at = bytes.find(text);
      if (at == std::string::npos) continue;
      bytes[at] = static_cast<char>(bytes[at] ^ 1);
      WriteFile(name, bytes);
      return;
    }
    FAIL() << "no segment holds " << text;
  }
};

using VerifyTest = MaintenanceTest;

TEST_F(VerifyTest, ReportsWhatItReadAndThatItIsClean) {
  AppendSample();
  const std::string text = Output({"verify"});
  EXPECT_THAT(text, HasSubstr("26 events of 1 conversation\n"));
  EXPECT_THAT(text, EndsWith("\nclean\n"));
  const auto json = Json({"verify"});
  EXPECT_TRUE(json["clean"].Flag());
  EXPECT_EQ(json["events"].Number(), kSampleEvents);
  EXPECT_EQ(json["conversations"].Number(), 1u);
  EXPECT_EQ(json["damage_count"].Number(), 0u);
  EXPECT_EQ(json["damage"].Size(), 0u);
  EXPECT_EQ(json["index_differences"].Size(), 0u);
  for (const char* field : {"segments", "bytes", "records", "index_entries"}) EXPECT_GT(json[field].Number(), 0u);
  EXPECT_TRUE(json.Has("unfinished_bytes") && json.Has("unclaimed_bytes") && json.Has("index_difference_count"));
}

TEST_F(VerifyTest, NamesTheDamageAndEndsWithOne) {
  AppendSample();
  AppendSample();
  Damage("Please write a.txt");
  const Ran ran = Logctl({"verify"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("\ndamage      log/"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr(" byte "), HasSubstr("[conversation \"sample\"")));
  const Ran json_run = Logctl({"verify", "--json"});
  EXPECT_EQ(json_run.exit_code, 1);
  const auto json = JsonValue::Parse(json_run.out);
  EXPECT_FALSE(json["clean"].Flag());
  EXPECT_EQ(json["damage"].Size(), json["damage_count"].Number());
  EXPECT_THAT(json["damage"][0]["file"].Text(), StartsWith("log/"));
  EXPECT_GT(json["damage"][0]["offset"].Number(), 0u);
  EXPECT_GT(json["damage"][0]["length"].Number(), 0u);
  for (const char* field : {"conversation", "seq", "reason"}) EXPECT_TRUE(json["damage"][0].Has(field)) << field;
}

TEST_F(VerifyTest, WorksBesideAWriter) {
  AppendSample();
  const auto writer = Open(OpenMode::kWrite, "the test");
  EXPECT_EQ(Logctl({"verify"}).exit_code, 0);
}

using DamageTest = MaintenanceTest;

TEST_F(DamageTest, CatGivesTheRestAndSaysWhatIsMissing) {
  AppendSample();
  Damage("Please write a.txt");
  const Ran ran = Logctl({"cat", "sample"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(Lines(ran.out), SizeIs(kSampleEvents - 1));
  EXPECT_THAT(ran.err, AllOf(HasSubstr("damage: log/"), HasSubstr("seq 2")));
}

TEST_F(DamageTest, ShowMarksTheLocation) {
  AppendSample();
  Damage("Please write a.txt");
  const Ran ran = Logctl({"show", "sample"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("\n  2            damaged: log/"), HasSubstr("I need a tool.")));
  const Ran json = Logctl({"show", "sample", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(JsonValue::Parse(json.out)["damage"][0]["seq"].Number(), 2u);
}

TEST_F(DamageTest, ProvenanceGivesTheRestAndSaysWhatIsMissing) {
  AppendSample();
  const std::size_t decisions = Json({"provenance", "sample"})["decisions"].Size();
  Damage("Please write a.txt");
  const Ran ran = Logctl({"provenance", "sample"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("outcome"));
  EXPECT_THAT(ran.err, AllOf(HasSubstr("damage: log/"), HasSubstr("seq 2")));
  const Ran json = Logctl({"provenance", "sample", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(JsonValue::Parse(json.out)["decisions"].Size(), decisions);
  EXPECT_EQ(JsonValue::Parse(json.out)["damage"][0]["seq"].Number(), 2U);
}

TEST_F(DamageTest, ExportGivesTheRestOfAllConversationsAndSaysWhatIsMissing) {
  AppendSample();
  Append("other", "{\"type\":\"turn_start\"}\n");
  Damage("Please write a.txt");
  for (const Strings& view : {Strings{}, Strings{"--raw"}}) {
    Strings words{"export", "--all", "--format", "jsonl"};
    words.insert(words.end(), view.begin(), view.end());
    const Ran lines = Logctl(words);
    EXPECT_EQ(lines.exit_code, 1);
    EXPECT_THAT(Lines(lines.out), SizeIs(kSampleEvents - 1 + 1));
    EXPECT_THAT(lines.err, AllOf(HasSubstr("damage: log/"), HasSubstr("\"sample\", seq 2")));
  }
  const Ran ran = Logctl({"export", "--all", "--format", "jp", "--to", (folder_ / "out").string()});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("damage: log/"), HasSubstr("\"sample\", seq 2")));
  EXPECT_THAT(ReadFile("out/sample/events.json"), AllOf(HasSubstr("I need a tool."), Not(HasSubstr("Please write"))));
  EXPECT_THAT(ReadFile("out/other/events.json"), HasSubstr("turn_start"));
}

TEST_F(DamageTest, NoRequestIsBegunThatCannotBeMade) {
  AppendSample();
  Damage("Please write a.txt");
  for (const char* format : {"anthropic", "openai-chat", "openai-responses", "gemini"})
    EXPECT_THAT(Logctl({"export", "sample", "--format", format}), FailsWith(1, "seq 2")) << format;
}

// The record of its import says what a conversation has copied.
TEST_F(DamageTest, AHandoffHasTheOwnTurns) {
  std::filesystem::create_directory(folder_ / "in");
  WriteFile("in/0a1b2c3d-4e5f-4061-8071-000000000001.jsonl",
            R"({"type":"user","uuid":"u","timestamp":"2026-08-01T10:00:00Z","sessionId":"s",)"
            R"("message":{"role":"user","content":"Mend the roof"}})"
            "\n");
  EXPECT_EQ(Logctl({"import", "claude-code", (folder_ / "in").string()}).exit_code, 0);
  Damage("claude-code");
  const Ran ran = Logctl({"export", "--all", "--format", "handoff"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("Mend the roof"));
  EXPECT_THAT(ran.err, HasSubstr("what it may have copied of another one is left out"));
}

// The record of its import says of which format a conversation is.
TEST_F(DamageTest, UsageCountsTheOtherConversations) {
  std::filesystem::create_directory(folder_ / "in");
  for (const char* name : {"0a1b2c3d-4e5f-4061-8071-000000000001", "0a1b2c3d-4e5f-4061-8071-000000000002"}) {
    WriteFile(
        std::string("in/") + name + ".jsonl",
        std::string(
            R"({"type":"assistant","uuid":"u","timestamp":"2026-08-01T10:00:00Z","sessionId":"s","message":{"id":")") +
            name +
            R"(","model":"opus","role":"assistant","content":[{"type":"text","text":"x"}],)"
            R"("usage":{"input_tokens":10,"output_tokens":5}}})"
            "\n");
  }
  EXPECT_EQ(Logctl({"import", "claude-code", (folder_ / "in").string()}).exit_code, 0);
  EXPECT_EQ(Json({"usage"})["sum"]["input"].Number(), 20u);
  Damage(R"("format":"claude-code")");
  const Ran ran = Logctl({"usage", "--json"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("damage: log/"));
  const JsonValue report = JsonValue::Parse(ran.out);
  EXPECT_EQ(report["sum"]["input"].Number(), 10u);
  EXPECT_EQ(report["damage"].Size(), 1u);
  EXPECT_EQ(report["uncounted"].Size(), 0u);
}

TEST_F(DamageTest, GetAndPendingSayThatTheirRequestIsDamaged) {
  AppendSample();
  Damage("Sure?");
  const Ran pending = Logctl({"pending"});
  EXPECT_EQ(pending.exit_code, 1);
  EXPECT_THAT(pending.out, HasSubstr("(damaged)"));
  const Ran get = Logctl({"get", "sample", "call_3.overwrite.1"});
  EXPECT_EQ(get.exit_code, 1);
  EXPECT_THAT(get.out, AllOf(HasSubstr("pending"), HasSubstr("damage      log/")));
}

TEST_F(DamageTest, SanitizeLeavesADamagedConversationAloneAndPlansTheOthers) {
  AppendSample();
  Damage("Please write a.txt");
  Append("other", R"({"type":"tool_call_response","id":"x","content":"","is_error":false})");
  const Ran ran = Logctl({"sanitize", "--dry-run", "--profile", "jp082"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("seq 2"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("other"), HasSubstr("1 of 1 conversation would change")));
}

using ReindexTest = MaintenanceTest;

TEST_F(ReindexTest, RebuildsTheIndex) {
  AppendSample();
  const std::string before = Output({"cat", "sample"});
  const Ran ran = Logctl({"reindex"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(Output({"cat", "sample"}), before);
  EXPECT_TRUE(Json({"reindex"})["reindexed"].Flag());
}

TEST_F(ReindexTest, RunsInTheServiceOfThatLocation) {
  AppendSample();
  Running service({"serve", "--store", store()});
  EXPECT_THAT(service.ReadLine(), HasSubstr("serving at"));
  const Ran ran = Logctl({"reindex", "--store", "unix:" + store() + "/service.sock"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("the index was rebuilt"));
  EXPECT_EQ(Logctl({"verify"}).exit_code, 0);
}

TEST_F(ReindexTest, FailsBesideAWriter) {
  AppendSample();
  const auto writer = Open(OpenMode::kWrite, "the test");
  EXPECT_THAT(Logctl({"reindex"}), FailsWith(1, "the test"));
}

}  // namespace
}  // namespace turnlog::maintenance_test
