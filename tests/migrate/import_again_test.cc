// Importing again: the work follows what is new in the sources, and the result is that of one import of everything.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/import/import_run.h"
#include "migrate/import/import_workers.h"
#include "migrate/logged/source_state.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/gemini_samples.h"
#include "tests/migrate/import_again_fixture.h"
#include "tests/support/must.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::import_again_test {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kSession(kClaudeSession);
const std::string kSessionFile = kSession + ".jsonl";

class ImportAgainTest : public ImportAgainFixture {
 protected:
  // Imports the text as it grows by lines, and compares with one import of all of it. `late`: the last bytes of each
  // line that come with the next one.
  void ExpectThatGrowingIsTheSame(const std::string& name, const std::string& id, const std::string& text,
                                  std::string_view format, std::size_t late = 0) {
    Import(Write("whole/" + name, text));
    const std::vector<std::string> whole = Imported(id);
    TempStore other;
    std::swap(other.log, log_);
    const fs::path path = Write("growing/" + name, "");
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = text.find('\n', at + late);
      const std::size_t end = next == std::string::npos ? text.size() : next + 1 - late;
      AppendTo(path, text.substr(at, end - at));
      const ImportReport report = Import(path, format);
      EXPECT_THAT(report.problems, IsEmpty()) << end;
      ASSERT_THAT(report.bytes, SizeIs(1));
      EXPECT_EQ(report.bytes[0].size, end);
      EXPECT_EQ(report.bytes[0].imported + report.bytes[0].kept_raw, end);
      if (at > 0) {
        EXPECT_LE(report.bytes_read, end - at + 127 + 2) << "at " << end;
        EXPECT_LE(report.bytes_parsed, end - at + 2) << "at " << end;  // and the break of the last line
      }
      at = end;
    }
    EXPECT_EQ(Imported(id), whole);
    EXPECT_EQ(Export(id, format), text);
    ForgetSource(id);
    const ImportReport again = Import(path, format);
    EXPECT_EQ(again.unchanged, 1U) << "read as a whole, it is the same";
    EXPECT_THAT(again.problems, IsEmpty());
    std::swap(other.log, log_);
  }
};

TEST_F(ImportAgainTest, ATreeThatIsUnchangedIsNotRead) {
  constexpr int kSessions = 100;
  for (int i = 0; i < kSessions; ++i) {
    const std::string id = fmt::format("0a1b2c3d-4e5f-4061-8071-{:012x}", i);
    Write("all/projects/" + id + ".jsonl", ClaudeUser("u", R"("Hi")") + "\n");
    Write("all/projects/" + id + "/subagents/agent-a.jsonl", ClaudeUser("x", R"("go")") + "\n");
    Write("all/codex/" + fmt::format("rollout-2026-08-01T10-00-00-{}{:x}.jsonl", kCodexThread.substr(0, 33), 256 + i),
          CodexMeta(kCodexThread) + "\n" + CodexUser("Hi") + "\n");
    WriteJp(fmt::format("{}-t", 17 + i), "[\n  {\"type\": \"turn_start\"}\n]\n", "all/jp/conversations");
  }
  Settle();
  const ImportReport first = Import(dir_ / "all");
  EXPECT_EQ(first.added, 4U * kSessions);
  EXPECT_GT(first.bytes_parsed, 0U);
  const ImportReport again = Import(dir_ / "all");
  EXPECT_EQ(again.unchanged, 4U * kSessions);
  EXPECT_EQ(again.bytes_read, 0U);
  EXPECT_EQ(again.bytes_parsed, 0U);
  Must(log_->Checkpoint());
  EXPECT_EQ(Import(dir_ / "all").bytes_read, 0U);
}

// Also of sources with the same conversation, and around a bad one.
TEST_F(ImportAgainTest, SeveralThreadsDoTheSameAsOne) {
  for (int i = 0; i < 40; ++i) {
    const std::string id = fmt::format("0a1b2c3d-4e5f-4061-8071-{:012x}", i / 2);
    const std::string text = ClaudeUser(fmt::format("u{}", i / 2), R"("Hi")") + "\n";
    Write(fmt::format("all/p{}/{}.jsonl", i % 2, id), i % 2 == 0 ? text : text + ClaudeUser("more", R"("On")") + "\n");
    WriteJp(fmt::format("{}-t", 17 + i), i == 5 ? "[{" : "[\n  {\"type\": \"turn_start\"}\n]\n", "all/jp");
    Write(fmt::format("all/other/chat{}.jsonl", i), ClaudeUser("o", R"("Yes")") + "\n");
  }
  const fs::path all = dir_ / "all";
  const auto import = [&](unsigned threads) {
    std::uint64_t last = 0;
    const ImportOptions options{.progress = [&](std::uint64_t done, std::uint64_t) { last = done; },
                                .threads = threads};
    const ImportReport report = Must(turnlog::Import(*log_, "auto", {&all, 1}, options));
    EXPECT_EQ(last, 40U + 40U + 40U);
    return report;
  };
  const ImportReport one = import(1);
  std::map<std::string, std::vector<std::string>> expected;
  for (const ConversationId& id : All()) expected[id.text()] = Imported(id.text());
  TempStore other;
  std::swap(other.log, log_);
  const ImportReport four = import(4);
  EXPECT_EQ(four.added, one.added);
  EXPECT_EQ(four.extended, one.extended);
  EXPECT_EQ(four.failed, one.failed);
  EXPECT_EQ(four.events, one.events);
  ASSERT_EQ(four.problems.size(), one.problems.size());
  ASSERT_EQ(four.bytes.size(), one.bytes.size());
  for (std::size_t i = 0; i < one.bytes.size(); ++i) EXPECT_EQ(four.bytes[i].source, one.bytes[i].source);
  for (const ConversationId& id : All()) EXPECT_EQ(Imported(id.text()), expected[id.text()]) << id.text();
  std::swap(other.log, log_);
}

TEST_F(ImportAgainTest, ASessionThatGrowsLineByLineIsReadByLines) {
  ExpectThatGrowingIsTheSame(kSessionFile, kSession, ClaudeSample(), "claude-code");
}

TEST_F(ImportAgainTest, ARolloutThatGrowsLineByLineIsReadByLines) {
  ExpectThatGrowingIsTheSame(kCodexFile, std::string(kCodexThread), CodexSample(), "codex");
}

// The break of a line is written with the next one, or in two parts, or alone at the end.
TEST_F(ImportAgainTest, ASessionWhoseLineBreaksComeLateIsReadByLines) {
  ExpectThatGrowingIsTheSame(kSessionFile, kSession, ClaudeSample(), "claude-code", 1);
}

TEST_F(ImportAgainTest, ARolloutWhoseLineBreaksComeLateIsReadByLines) {
  ExpectThatGrowingIsTheSame(kCodexFile, std::string(kCodexThread), CodexSample(), "codex", 1);
}

TEST_F(ImportAgainTest, ASessionWhoseLineBreaksOfTwoBytesComeLateIsReadByLines) {
  std::string text;
  for (const char c : GeminiLines()) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const std::size_t late : {0, 1, 2}) {
    const std::string name = fmt::format("session-{}.jsonl", late);
    TempStore other;
    std::swap(other.log, log_);
    ExpectThatGrowingIsTheSame(name, std::string(kGeminiSession), text, "gemini", late);
    std::swap(other.log, log_);
  }
}

// What a line means that goes on after its record, only all of it shows.
TEST_F(ImportAgainTest, ALineThatGoesOnAfterItsRecordIsReadAgain) {
  const std::string one = ClaudeUser("1", R"("one")"), two = ClaudeUser("2", R"("two")");
  for (const std::string& rest :
       std::vector<std::string>{two + "\n", " " + two, "x" + two + "\n", std::string(3, '\0') + "\n", "{\"torn",
                                std::string(" \r"), "\xef\xbb\xbf" + two + "\n"}) {
    SCOPED_TRACE(rest);
    TempStore by_parts, at_once;
    const fs::path path = Write("p/" + kSessionFile, one);
    const auto import = [&](TempStore& store) {
      std::swap(store.log, log_);
      const ImportReport report = Import(path);
      EXPECT_EQ(report.failed, 0U);
      EXPECT_EQ(report.bytes.at(0).size, fs::file_size(path));
      std::swap(store.log, log_);
      return report;
    };
    import(by_parts);
    AppendTo(path, rest);
    const ImportReport parts = import(by_parts);
    const ImportReport whole = import(at_once);
    EXPECT_EQ(parts.bytes.at(0).imported, whole.bytes.at(0).imported);
    EXPECT_EQ(parts.bytes.at(0).kept_raw, whole.bytes.at(0).kept_raw);
    std::swap(at_once.log, log_);
    const std::vector<std::string> expected = Imported(kSession);
    std::swap(at_once.log, log_);
    std::swap(by_parts.log, log_);
    EXPECT_EQ(Imported(kSession), expected);
    EXPECT_EQ(Export(kSession, "claude-code"), one + rest);
    std::swap(by_parts.log, log_);
  }
}

// Less than what is compared of the end of the file.
TEST_F(ImportAgainTest, ASessionThatGrowsByShortLinesIsReadByLines) {
  std::string text = CodexMeta(kCodexThread) + "\n" + CodexUser("Hi") + "\n";
  for (int i = 0; i < 9; ++i)
    text += R"({"type":"x"})"
            "\n";
  ExpectThatGrowingIsTheSame(kCodexFile, std::string(kCodexThread), text, "codex");
}

TEST_F(ImportAgainTest, ASessionOfGeminiThatGrowsLineByLineIsReadByLines) {
  ExpectThatGrowingIsTheSame("session-2026-04-29T21-39-5d3e8e0c.jsonl", std::string(kGeminiSession), GeminiLines(),
                             "gemini");
}

// The file is another one, although the path is known.
TEST_F(ImportAgainTest, AnotherSessionUnderTheSameNameIsAnotherConversation) {
  const std::string header = GeminiHeader() + "\n";
  const fs::path path = Write("session.jsonl", header + GeminiUser("u1", "Hi") + "\n");
  Import(path, "gemini");
  std::string other = header;
  other.replace(other.find("5d3e8e0c"), 8, "6d3e8e0c");
  fs::remove(path);
  Write("session.jsonl", other + GeminiUser("u1", "Hi") + "\n" + GeminiUser("u2", "there") + "\n");
  EXPECT_EQ(Import(path, "gemini").added, 1U);
  EXPECT_THAT(All(), SizeIs(2));
}

TEST_F(ImportAgainTest, AnAnswerFindsTheQuestionThatWasReadBefore) {
  const fs::path path =
      Write(kSessionFile, ClaudeUser("u", R"("Hi")") + "\n" + ClaudeAssistant("a", ClaudeAsk("t")) + "\n");
  Import(path);
  ASSERT_THAT(Must(log_->Pending(Id(kSession))), SizeIs(2));
  AppendTo(path, ClaudeResult("r", "t", R"("x")",
                              R"(,"toolUseResult":{"answers":{"Which \"one\"?":"a","Why?":"free text"}})") +
                     "\n");
  Import(path);
  EXPECT_THAT(Must(log_->Pending(Id(kSession))), IsEmpty());
  EXPECT_THAT(Imported(kSession).at(6), HasSubstr(R"("answer":"free text")"));
}

TEST_F(ImportAgainTest, ACopyOfTheTreeIsReadAndNotParsed) {
  Import(Write("one/" + kSessionFile, ClaudeSample()));
  const ImportReport report = Import(Write("two/" + kSessionFile, ClaudeSample()));
  EXPECT_EQ(report.unchanged, 1U);
  EXPECT_EQ(report.bytes_parsed, 0U);
}

TEST_F(ImportAgainTest, ACopyThatHasGrownIsParsedWhereItIsNew) {
  Import(Write("one/" + kSessionFile, ClaudeSample()));
  const std::string more = ClaudeUser("more", R"("Go on")") + "\n";
  const ImportReport report = Import(Write("two/" + kSessionFile, ClaudeSample() + more));
  EXPECT_EQ(report.extended, 1U);
  EXPECT_LE(report.bytes_parsed, more.size() + 1);
  EXPECT_EQ(Export(kSession, "claude-code"), ClaudeSample() + more);
}

TEST_F(ImportAgainTest, OnlyTheSubagentThatHasGrownIsRead) {
  Write("p/" + kSessionFile, ClaudeSample());
  const fs::path agent = Write("p/" + kSession + "/subagents/agent-abc.jsonl", ClaudeUser("x", R"("go")") + "\n");
  Write("p/" + kSession + "/subagents/agent-abc.meta.json", "{}");
  Settle();
  Import(dir_ / "p");
  // A record of the session, and a new one.
  const std::string more = ClaudeUser("u1", R"("copied")") + "\n" + ClaudeUser("y", R"("on")") + "\n";
  AppendTo(agent, more);
  const ImportReport report = Import(dir_ / "p");
  EXPECT_EQ(report.extended, 1U);
  EXPECT_EQ(report.unchanged, 1U);
  EXPECT_LE(report.bytes_read, more.size() + 128);
  EXPECT_EQ(report.bytes.at(0).imported + report.bytes.at(0).kept_raw, report.bytes.at(0).size);
  const std::vector<std::string> events = Imported(kSession + "/agent-abc");
  ASSERT_THAT(events, SizeIs(5));
  EXPECT_THAT(events[2], HasSubstr(R"("type":"foreign")")) << "a copy";
  ForgetSource(kSession);
  ForgetSource(kSession + "/agent-abc");
  EXPECT_EQ(Import(dir_ / "p").unchanged, 2U);
}

TEST_F(ImportAgainTest, ARepeatedRecordIsRecognised) {
  const std::string record = ClaudeUser("u", R"("Hi")") + "\n";
  const fs::path path = Write(kSessionFile, record);
  Import(path);
  AppendTo(path, record + ClaudeUser("v", R"("Yes")") + "\n");
  EXPECT_THAT(Import(path).problems, IsEmpty());
  EXPECT_THAT(Imported(kSession).at(2), HasSubstr(R"("type":"foreign")"));
  ForgetSource(kSession);
  EXPECT_EQ(Import(path).unchanged, 1U);
}

// As resuming a session does, with other fields beside the message.
TEST_F(ImportAgainTest, ARecordThatIsWrittenAgainIsReadByItsLine) {
  const fs::path path = Write(kSessionFile, ClaudeUser("u", R"("Hi")") + "\n");
  Import(path);
  const std::string again = ClaudeUser("u", R"("Hi")", R"(,"slug":"a-b")") + "\n";
  AppendTo(path, again);
  const ImportReport report = Import(path);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_LE(report.bytes_parsed, again.size() + 1);
  EXPECT_THAT(Imported(kSession).at(2), HasSubstr(R"("type":"foreign")"));
}

TEST_F(ImportAgainTest, WhatCannotBeReadAnyMoreIsAProblemOfThatSource) {
  for (const std::string_view format : {"claude-code", "jsonl"}) {
    const bool lines = format == "jsonl";
    const fs::path path = Write(lines ? "talk.jsonl" : kSessionFile,
                                lines ? "{\"type\":\"turn_start\"}\n" : ClaudeUser("1", R"("one")") + "\n");
    Import(path, format);
    fs::remove(path);
    fs::create_directory(path);
    ImportRun run(*log_);
    FoundSource found{.format = FindFormat(format), .path = path, .file = {}};
    Must(ImportFound(run, found));
    EXPECT_EQ(run.report().failed, 1U);
    ASSERT_THAT(run.report().problems, SizeIs(1));
    EXPECT_EQ(run.report().problems[0].file, path.native());
    EXPECT_EQ(run.report().problems[0].reason, "not a regular file");
    fs::remove(path);
  }
}

TEST_F(ImportAgainTest, AnotherPastIsAConflict) {
  const fs::path path = Write(kSessionFile, ClaudeUser("1", R"("one")") + "\n" + ClaudeUser("2", R"("two")") + "\n");
  Import(path);
  Write("new", ClaudeUser("1", R"("other")") + "\n" + ClaudeUser("2", R"("two")") + "\n" +
                   ClaudeUser("3", R"("three")") + "\n");
  fs::rename(dir_ / "new", path);
  EXPECT_EQ(Import(path).failed, 1U);
  EXPECT_THAT(Imported(kSession), SizeIs(4));
}

TEST_F(ImportAgainTest, AppendsAfterTheRepairsOfTheSanitizer) {
  const fs::path path = Write(kSessionFile, ClaudeUser("1", R"("one")") + "\n");
  Import(path);
  Append(kSession,
         ParseEvent(R"({"type":"repair","profile":"x","head":2,"from":2,"to":2,"items":[{"drop":2,"rule":"r"}]})")
             .value());
  AppendTo(path, ClaudeUser("2", R"("two")") + "\n");
  EXPECT_EQ(Import(path).extended, 1U);
  Append(kSession, ParseEvent(R"({"type":"chat_request","content":"from turnlog"})").value());
  AppendTo(path, ClaudeUser("3", R"("three")") + "\n");
  const ImportReport report = Import(path);
  EXPECT_EQ(report.failed, 1U);
  EXPECT_EQ(report.problems.at(0).code, ImportProblemCode::kContinued);
}

TEST_F(ImportAgainTest, ARedactionForgetsTheSource) {
  const std::string value = std::string("Kq7v-rather") + "Secret!9x";
  const fs::path path = Write(kSessionFile, ClaudeUser("1", "\"" + value + "\"") + "\n");
  Import(path);
  ASSERT_FALSE(Must(log_->FindWatermark(kImportConsumer, Id(kSession)))->state.empty());
  RedactionTargets targets;
  targets.values = {value};
  const auto redaction = Must(Redaction::Plan(*log_, targets));
  Must(redaction->Apply("tester"));
  EXPECT_TRUE(Must(log_->FindWatermark(kImportConsumer, Id(kSession)))->state.empty());
  AppendTo(path, ClaudeUser("2", R"("two")") + "\n");
  EXPECT_EQ(Import(path).extended, 1U);
  EXPECT_THAT(Imported(kSession), SizeIs(5)) << "two turns, and the redaction";
  Settle();
  Import(path);
  EXPECT_EQ(Import(path).bytes_parsed, 0U);
}

}  // namespace
}  // namespace turnlog::import_again_test
