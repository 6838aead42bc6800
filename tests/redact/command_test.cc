// `logctl redact` as an operator uses it, and the store searched by other programs.
#include <fmt/format.h>
#include <sys/stat.h>

#include "tests/logctl/logctl_test.h"
#include "tests/redact/command_fixture.h"
#include "tests/redact/search.h"
#include "tests/secrets/planted_secrets.h"
#include "turnlog/json.h"

namespace turnlog::command_test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// --- What it says ---

TEST_F(RedactCommandTest, SaysWhatWentWhyAndThatNothingIsLeft) {
  Append("talk", LeakedAnswer("q.1", value_) + Chat("thanks for " + value_));
  Append("other", Chat("nothing"));
  const Ran ran = Redact({"--secrets"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("talk  2 events  (event 5)\n"
                                  "  event 2       secret-answer\n"
                                  "  event 4       secret-answer\n"
                                  "2 events in 1 conversation redacted\n"
                                  "proof     "));
  EXPECT_THAT(ran.out,
              ContainsRegex("proof     [0-9]+ files, [0-9.]+ [KM]iB, [0-9]+ entries of the index read for 1 value\n"
                            "no value is left\n$"));
  EXPECT_THAT(Output({"cat", "talk", "--raw"}),
              AllOf(HasSubstr("thanks for [redacted]"), HasSubstr(R"("by":"ops@host")")));
  EXPECT_THAT(Redact({"--secrets"}).out, StartsWith("nothing to redact\nproof     "));
}

TEST_F(RedactCommandTest, ADryRunReportsWhatItWouldRedactAndWritesNothing) {
  Append("talk", Chat(value_));
  const auto before = AllFiles(store());
  const Ran ran = Redact({"--values-stdin", "--dry-run"}, value_ + "\n");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "talk  1 event\n"
            "  event 1       given-value\n"
            "1 event in 1 conversation would be redacted; nothing was written\n");
  EXPECT_EQ(AllFiles(store()), before);
  EXPECT_EQ(Redact({"--secrets", "--dry-run"}).out, "nothing to redact\n");
}

TEST_F(RedactCommandTest, TheProofIsThereAsJson) {
  Append("talk", Chat(value_));
  const Ran ran = Redact({"--values-stdin", "--json"}, value_ + "\nabc\n");
  EXPECT_EQ(ran.exit_code, 1) << "one of the values is not looked for";
  const JsonValue report = JsonValue::Parse(ran.out);
  EXPECT_FALSE(report["dry_run"].Flag());
  EXPECT_EQ(report["values"].Number(), 1U);
  EXPECT_EQ(report["conversations"][0]["id"].Text(), "talk");
  EXPECT_EQ(report["conversations"][0]["events"][0]["seq"].Number(), 1U);
  EXPECT_EQ(report["conversations"][0]["events"][0]["rules"][0].Text(), "given-value");
  EXPECT_EQ(report["conversations"][0]["redactions"].Size(), 1U);
  EXPECT_EQ(report["kept"].Size(), 0U);
  EXPECT_EQ(report["unsearched"][0]["value"].Number(), 2U);
  EXPECT_THAT(report["unsearched"][0]["reason"].Text(), HasSubstr("6"));
  EXPECT_EQ(report["damage"].Size(), 0U);
  const JsonValue proof = report["proof"];
  EXPECT_TRUE(proof["clean"].Flag());
  EXPECT_EQ(proof["store_id"].Text(), Json({"stats"})["store_id"].Text());
  EXPECT_THAT(proof["time"].Text(), HasSubstr("T"));
  EXPECT_EQ(proof["rules"][0].Text(), "given-value");
  EXPECT_GT(proof["files"].Number(), 3U);
  EXPECT_GT(proof["bytes"].Number(), 4096U);
  EXPECT_EQ(proof["left_count"].Number(), 0U);
  EXPECT_EQ(proof["left"].Size(), 0U);
  EXPECT_EQ(proof["problems"].Size(), 0U);
  const JsonValue dry = JsonValue::Parse(Redact({"--values-stdin", "--json", "--dry-run"}, value_).out);
  EXPECT_TRUE(dry["dry_run"].Flag());
  EXPECT_EQ(dry["conversations"].Size(), 0U);
  EXPECT_FALSE(dry.Has("proof"));
}

TEST_F(RedactCommandTest, BackupsAreListedAsJson) {
  Append("talk", Chat(value_));
  const std::string backup = (folder_ / "backup").string();
  ASSERT_EQ(Logctl({"backup", backup}).exit_code, 0);
  const JsonValue report = JsonValue::Parse(Redact({"--values-stdin", "--json"}, value_).out);
  ASSERT_EQ(report["kept_copies"].Size(), 1U);
  EXPECT_THAT(report["kept_copies"][0]["place"].Text(), HasSubstr(std::filesystem::canonical(backup).string()));
  EXPECT_THAT(report["kept_copies"][0]["end"].Text(), HasSubstr("logctl backup"));
}

// --- What it takes ---

TEST_F(RedactCommandTest, ValuesAreLinesOfStandardInput) {
  Append("talk", Chat("one-secret two-secret three secret three\\tsecret"));
  EXPECT_EQ(Redact({"--values-stdin"}, "one-secret\r\n\ntwo-secret\nthree secret").exit_code, 0);
  EXPECT_THAT(Output({"cat", "talk"}), HasSubstr("[redacted] [redacted] [redacted] three\\tsecret"));
}

// As if `pass show deploy-key |` had failed.
TEST_F(RedactCommandTest, NoValueIsNoSuccess) {
  Append("talk", Chat("x"));
  for (const std::string nothing : {"", "\n\r\n"}) {
    EXPECT_THAT(Redact({"--values-stdin"}, nothing), FailsWith(1, "there is no value on standard input"));
  }
  EXPECT_THAT(Redact({"--values-stdin", "--null"}, std::string(2, '\0')), FailsWith(1, "no value"));
}

TEST_F(RedactCommandTest, AValueMayHaveSeveralLines) {
  const std::string key = "-----BEGIN X KEY-----\nQm9keSBvZiB0aGUga2V5LCBvbmU\nc2hvcnQ=\n-----END X KEY-----\n";
  const std::string shown = R"(-----BEGIN X KEY-----\nQm9keSBvZiB0aGUga2V5LCBvbmU\nc2hvcnQ=\n-----END X KEY-----)";
  Append("talk", Chat("a " + shown + " b") + Chat("-----BEGIN X KEY----- and c2hvcnQ=") + Chat("second\\nvalue"));
  EXPECT_THAT(Redact({"--values-stdin"}, key), FailsWith(2, "--value-file"));
  EXPECT_EQ(Redact({"--value-file", WriteFile("key", key), "--dry-run"}).exit_code, 0);
  EXPECT_EQ(Redact({"--values-stdin", "--null"}, key + '\0' + "second\nvalue").exit_code, 0);
  EXPECT_THAT(Output({"cat", "talk"}),
              AllOf(HasSubstr("a [redacted] b"), HasSubstr("KEY----- and c2hvcnQ="), Not(HasSubstr("second"))));
  const Ran ran = Redact({"--value-file", WriteFile("short", "abc")});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("short was not searched: shorter than 6 bytes"));
  EXPECT_THAT(Redact({"--value-file", "/nowhere"}), FailsWith(1, "/nowhere"));
  EXPECT_THAT(Redact({"--secrets", "--null"}), Fails(2));
}

// Opening such a pipe would wait for a writer, for ever.
TEST_F(RedactCommandTest, APipeThatNoProgramWritesToIsEmpty) {
  Append("talk", Chat("nothing"));
  const std::string pipe = (folder_ / "pipe").string(), file = WriteFile("file", "x");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Redact({"--value-file", pipe}).exit_code, 1);
  EXPECT_EQ(Redact({"--detect", "--rules", pipe}).exit_code, 1);
  EXPECT_EQ(Redact({"--detect", "--dry-run", "--baseline", pipe}).exit_code, 0);
  EXPECT_EQ(RunProgram({"scan", "--values-file", pipe, file}).exit_code, 1);
  EXPECT_EQ(RunProgram({"scan", "--rules", pipe, file}).exit_code, 1);
  EXPECT_EQ(RunProgram({"scan", pipe}).exit_code, 1);
  EXPECT_EQ(RunProgram({"scan", "--baseline", pipe, file}).exit_code, 0);
}

TEST_F(RedactCommandTest, AnInquiryIsNamedWithTurnAndConversation) {
  for (const char* name : {"a", "b"}) {
    Append(name, R"({"type":"turn_start"}
{"type":"inquiry_request","id":"q","source":{"source":"user"},"question":{"text":"?","answer_type":{"type":"text"}}}
{"type":"inquiry_response","outcome":"answered","id":"q","answer":"some-answer"}
)");
  }
  EXPECT_EQ(Redact({"--inquiry", "q", "--turn", "2"}).exit_code, 1);
  EXPECT_THAT(Redact({"--inquiry", "q", "--turn", "1", "--conversation", "a", "--dry-run"}).out,
              AllOf(HasSubstr("a  1 event\n"), HasSubstr("b  1 event\n")))
      << "the answer's echo in b goes, too";
  EXPECT_EQ(Redact({"--inquiry", "q", "--turn", "1", "--conversation", "a"}).exit_code, 0);
  EXPECT_THAT(Output({"cat", "a"}), HasSubstr(R"("outcome":"redacted")"));
  EXPECT_THAT(Output({"cat", "b"}), HasSubstr(R"("answer":"[redacted]")"));
  EXPECT_THAT(Redact({"--inquiry", "nobody"}), FailsWith(1, "\"nobody\""));
  EXPECT_THAT(Redact({"--inquiry", "q", "--conversation", "c"}), FailsWith(1, "\"c\""));
}

TEST_F(RedactCommandTest, WrongUsageIsSaid) {
  Append("talk", Chat("x"));
  EXPECT_THAT(Redact({}), Fails(2));
  EXPECT_THAT(Redact({"--secrets", "--turn", "1"}), Fails(2));
  EXPECT_THAT(Redact({"--secrets", "--conversation", "x"}), Fails(2));
  EXPECT_THAT(Redact({"--secrets", "--rules", "x"}), Fails(2));
  EXPECT_THAT(RunProgram({"--store", store(), "redact", "--secrets", "--by", ""}), Fails(2));
  EXPECT_THAT(Redact({"--detect", "--rules", "/nowhere"}), FailsWith(1, "/nowhere"));
  EXPECT_THAT(RunProgram({"--store", (folder_ / "none").string(), "redact", "--secrets"}), Fails(1));
}

TEST_F(RedactCommandTest, NoExportHasAFindingAfterwards) {
  std::string events = "{\"type\":\"turn_start\"}\n";
  for (const PlantedSecret& planted : PlantedSecrets(3)) {
    events += fmt::format("{{\"type\":\"chat_request\",\"content\":{}}}\n", JsonString(planted.text()).text());
  }
  Append("c", events);
  const auto findings = [&](const std::string& to) {
    EXPECT_EQ(Logctl({"export", "--all", "--format", "jp", "--to", (folder_ / to).string()}).exit_code, 0);
    WriteFile(to + "/raw.jsonl", Output({"export", "--all", "--format", "jsonl", "--raw"}));
    return JsonValue::Parse(Output({"scan", (folder_ / to).string(), "--json"}))["secrets"].Size();
  };
  EXPECT_GE(findings("before"), PlantedSecrets(3).size());
  EXPECT_EQ(Redact({"--detect"}).exit_code, 0);
  EXPECT_EQ(findings("after"), 0U);
}

TEST_F(RedactCommandTest, TheReportIsBySecret) {
  const std::string token = std::string("gh") + "p_" + "Zr8Qw3Lk5Vn1Xc7Jm2Tb9Hd4Fg6Ys0PaEuRi";
  Append("talk", Chat(token) + Chat("again " + token));
  Append(
      "other",
      fmt::format("{{\"type\":\"chat_request\",\"content\":\"{}\",\"timestamp\":\"2026-01-02T03:04:05Z\"}}\n", token));
  const Ran ran = Redact({"--detect", "--dry-run", "--report"});
  EXPECT_THAT(ran.out, ContainsRegex("^[0-9a-f]{8}  github-token  3 events in 2 conversations, sent to a model\n"
                                     "  other: event 1; talk: event 1, 2\n"
                                     "  first 2[^\n]*, last 2[^\n]*\n"
                                     "  revoke it at https://github.com/settings/tokens\n"));
  const JsonValue secret = JsonValue::Parse(Redact({"--detect", "--dry-run", "--json"}).out)["secrets"][0];
  EXPECT_EQ(secret["rule"].Text(), "github-token");
  EXPECT_EQ(secret["events"].Size(), 3U);
  EXPECT_TRUE(secret["sent_to_model"].Flag());
}

TEST_F(RedactCommandTest, ExplainsWhyEachSecretIsOne) {
  const std::string token = std::string("gh") + "p_" + "Zr8Qw3Lk5Vn1Xc7Jm2Tb9Hd4Fg6Ys0PaEuRi";
  Append("talk", Chat(token));
  const Ran ran = Redact({"--detect", "--dry-run", "--explain"});
  EXPECT_THAT(ran.out,
              ContainsRegex("github-token  1 event[^\n]*\n  [^\n]*; near `ghp_`, 40 bytes with [0-9.]+ bits each\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr(token)));
  const JsonValue secret = JsonValue::Parse(Redact({"--detect", "--explain", "--json"}).out)["secrets"][0];
  EXPECT_THAT(secret["why"].Text(), HasSubstr("`ghp_`"));
}

TEST_F(RedactCommandTest, ExplainsAnswers) {
  Append("talk", LeakedAnswer("q", "horse-battery"));
  EXPECT_THAT(Redact({"--secrets", "--dry-run", "--explain"}).out,
              HasSubstr("\n  the answer to a question for a secret\n"));
}

TEST_F(RedactCommandTest, ABaselineKeepsWhatIsAccepted) {
  const std::string token = std::string("gh") + "p_" + "Zr8Qw3Lk5Vn1Xc7Jm2Tb9Hd4Fg6Ys0PaEuRi";
  Append("my talk", Chat("x") + Chat(token));
  const std::string baseline = (folder_ / "accepted").string();
  EXPECT_EQ(Redact({"--detect", "--dry-run", "--write-baseline", baseline}).exit_code, 0);
  EXPECT_EQ(Redact({"--detect", "--baseline", baseline}).out,
            "nothing to redact\nproof     there is no value to search for\n");
  EXPECT_THAT(Output({"cat", "my talk"}), HasSubstr(token));
  const std::string written = ReadFile("accepted");
  EXPECT_THAT(written, HasSubstr("github-token 2 my talk\n"));
  EXPECT_EQ(Redact({"--detect", "--dry-run", "--all", "--baseline", baseline, "--write-baseline", baseline}).exit_code,
            0);
  EXPECT_EQ(ReadFile("accepted"), written) << "what was accepted stays so";
  EXPECT_THAT(Redact({"--detect", "--baseline", WriteFile("wrong", "github-token x talk\n")}), FailsWith(1, "line 1"));
  EXPECT_THAT(Redact({"--secrets", "--baseline", baseline}), Fails(2));
  EXPECT_THAT(Redact({"--detect", "--write-baseline", baseline}), Fails(2));
  EXPECT_EQ(Redact({"--detect"}).exit_code, 0);
  EXPECT_THAT(Output({"cat", "my talk"}), Not(HasSubstr(token)));
}

// The report does not show such a name; the baseline has to.
TEST_F(RedactCommandTest, ABaselineAlsoAcceptsWhatANameHolds) {
  const std::string token = std::string("gh") + "p_" + "Zr8Qw3Lk5Vn1Xc7Jm2Tb9Hd4Fg6Ys0PaEuRi";
  Append("talk " + token, Chat(token));
  Append("other", Chat("x") + Chat(token));
  const std::string baseline = (folder_ / "accepted").string();
  const Ran dry = Redact({"--detect", "--dry-run", "--write-baseline", baseline});
  EXPECT_EQ(dry.exit_code, 1) << "the name cannot be redacted";
  EXPECT_THAT(dry.out + dry.err, Not(HasSubstr(token)));
  EXPECT_THAT(dry.err, HasSubstr("do not share it"));
  EXPECT_EQ(std::filesystem::status(baseline).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const Ran ran = Redact({"--detect", "--baseline", baseline});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "nothing to redact\nproof     there is no value to search for\n");
  EXPECT_THAT(Output({"cat", "talk " + token}) + Output({"cat", "other"}), Not(HasSubstr("[redacted]")));
}

TEST_F(RedactCommandTest, ASecondRunReadsOnlyNewEventsUnlessToldOtherwise) {
  Append("talk", Chat("1") + Chat("2"));
  const auto read = [&](Strings words) {
    words.insert(words.begin(), {"--detect", "--json"});
    return JsonValue::Parse(Redact(words).out)["events_read"].Number();
  };
  EXPECT_EQ(read({}), 2U);
  Append("talk", Chat("3"));
  EXPECT_EQ(read({}), 1U);
  EXPECT_EQ(read({"--all"}), 3U);
}

// --- What is left ---

TEST_F(RedactCommandTest, ACopyThatIsLeftIsNamedAndEndsWithOne) {
  Append("talk", Chat(value_));
  WriteFile("store/copy", "a " + value_);
  const Ran ran = Redact({"--values-stdin"}, value_);
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("left      copy byte 2\n"), HasSubstr("1 occurrence of the values left\n"),
                             Not(HasSubstr("no value is left"))));
}

TEST_F(RedactCommandTest, IdsAndNamesAreSaidToStay) {
  Append("talk", fmt::format("{{\"type\":\"chat_request\",\"content\":\"x\",\"event_id\":\"{}\"}}\n", value_));
  Append("about " + value_, Chat("x"));
  const Ran dry = Redact({"--values-stdin", "--dry-run"}, value_);
  EXPECT_EQ(dry.exit_code, 1);
  const Ran ran = Redact({"--values-stdin"}, value_);
  EXPECT_EQ(ran.exit_code, 1);
  for (const Ran& each : {dry, ran}) {
    EXPECT_THAT(each.err, AllOf(HasSubstr("conversation \"talk\", event 1, event_id"),
                                HasSubstr("conversation \"about [redacted]\"")));
  }
}

TEST_F(RedactCommandTest, AShortAnswerIsWarnedAboutAndRedactedInItsEvent) {
  Append("talk", LeakedAnswer("pin", "4711"));
  const Ran ran = Redact({"--secrets"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.err, HasSubstr("conversation \"talk\", event 2 (secret-answer)"));
  EXPECT_THAT(Output({"cat", "talk", "--raw"}), Not(HasSubstr(R"("4711")")));
}

// --- Searched by others ---

TEST_F(RedactCommandTest, GrepAndSstDumpFindNothing) {
  if (Shell("command -v sst_dump").empty()) GTEST_SKIP() << "sst_dump is missing: Debian's rocksdb-tools has it";
  const auto dump = [&] {
    return Shell(fmt::format("for f in '{}'/index/*.sst; do sst_dump --file=$f --command=scan 2>&1; done", store()));
  };
  Append("a name that can be seen", LeakedAnswer("q", value_));
  for (const std::string& text : {"plain " + value_, "base64 " + Base64(value_), "shifted " + Base64("x" + value_)}) {
    Append("echoes", Chat(text));
  }
  ASSERT_THAT(FilesWith(store(), value_), Not(IsEmpty()));
  EXPECT_EQ(Redact({"--secrets"}).exit_code, 0);
  EXPECT_THAT(FilesWith(store(), value_), IsEmpty());
  const std::string entries = dump();
  EXPECT_THAT(entries, HasSubstr("name that can be seen")) << "the dump shows what is there";
  EXPECT_THAT(entries, Not(HasSubstr(value_)));
  EXPECT_EQ(Logctl({"verify"}).exit_code, 0);
}

}  // namespace
}  // namespace turnlog::command_test
