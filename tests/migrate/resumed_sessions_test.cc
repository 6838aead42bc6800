// Sessions of Claude Code whose files begin with a copy of another session, without a mark: older versions wrote the
// history again under a new session when it was resumed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "migrate/logged/copied_history.h"
#include "schema/event/import_event.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::resumed_sessions_test {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// In the order of their names the copies come first.
const std::string kFirst = "f0000000-0000-4000-8000-000000000001", kSecond = "a0000000-0000-4000-8000-000000000002",
                  kThird = "b0000000-0000-4000-8000-000000000003";

std::string Uuid(int number) { return fmt::format("0a1b2c3d-4e5f-4061-8071-{:012x}", number); }

// A prompt as a record of a session.
std::string Prompt(const std::string& session, int number) {
  std::string record = ClaudeUser(Uuid(number), fmt::format(R"("prompt {}")", number)) + "\n";
  record.replace(record.find(kClaudeSession), kClaudeSession.size(), session);
  const std::size_t second = record.find("10:00:00");
  record.replace(second, 2, session == kFirst ? "10" : "12");
  return record;
}

std::string Prompts(const std::string& session, int from, int to) {
  std::string text;
  for (int number = from; number <= to; ++number) text += Prompt(session, number);
  return text;
}

class ResumedSessionsTest : public ImportTest {
 protected:
  fs::path Session(const std::string& session, const std::string& text, const std::string& folder = "all") {
    const fs::path path = Write(folder + "/" + session + ".jsonl", text);
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(100 - ++written_));
    return path;
  }
  ImportReport ImportAll(const std::string& folder = "all") {
    const fs::path path = dir_ / folder;
    return Must(Import(*log_, "claude-code", {&path, 1}));
  }
  std::string ResumedFrom(const std::string& session) { return PartOf(session, kResumedFromPart); }
  std::string Export(const std::string& session) { return ExportRawText("claude-code", session); }

 private:
  int written_ = 0;
};

TEST_F(ResumedSessionsTest, ComeInOnceAndAreLinked) {
  Session(kFirst, Prompts(kFirst, 1, 3));
  const std::string second = Prompts(kSecond, 1, 5), third = Prompts(kThird, 1, 3) + Prompts(kThird, 8, 8);
  Session(kSecond, second);
  Session(kThird, third);
  const ImportReport report = ImportAll();
  EXPECT_EQ(report.added, 3U);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(Said(kFirst), ElementsAre("prompt 1", "prompt 2", "prompt 3"));
  EXPECT_THAT(Said(kSecond), ElementsAre("prompt 4", "prompt 5"));
  EXPECT_THAT(Said(kThird), ElementsAre("prompt 8"));
  EXPECT_EQ(ResumedFrom(kFirst), "");
  EXPECT_EQ(ResumedFrom(kSecond), kFirst);
  EXPECT_EQ(ResumedFrom(kThird), kFirst);
  EXPECT_EQ(Export(kSecond), second);
  EXPECT_EQ(Export(kThird), third);
}

TEST_F(ResumedSessionsTest, KeepTheirMeaningWhenTheOtherFileIsGone) {
  const fs::path first = Session(kFirst, Prompts(kFirst, 1, 3));
  const fs::path second = Session(kSecond, Prompts(kSecond, 1, 4));
  ImportAll();
  fs::remove(first);
  std::ofstream(second, std::ios::app) << Prompt(kSecond, 5) << Prompt(kSecond, 3);
  const ImportReport grown = ImportAll();
  EXPECT_EQ(grown.extended, 1U);
  EXPECT_THAT(grown.problems, IsEmpty());
  EXPECT_THAT(Said(kSecond), ElementsAre("prompt 4", "prompt 5"));
  Session(kSecond, Prompts(kSecond, 1, 5) + Prompt(kSecond, 3) + Prompt(kSecond, 6), "copy");
  const ImportReport copy = ImportAll("copy");
  EXPECT_THAT(copy.problems, IsEmpty());
  EXPECT_THAT(Said(kSecond), ElementsAre("prompt 4", "prompt 5", "prompt 6"));
}

// The first one is read before its copy, although it was written last.
TEST_F(ResumedSessionsTest, DoNotTakeWhatTheFirstHasSinceItWasImported) {
  Session(kFirst, Prompts(kFirst, 1, 3));
  ImportAll();
  Session(kSecond, Prompts(kSecond, 1, 6));
  Session(kFirst, Prompts(kFirst, 1, 5));
  const fs::path path = dir_ / "all";
  const ImportReport report = Must(Import(*log_, "claude-code", {&path, 1}, {.threads = 1}));
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(report.extended, 1U);
  EXPECT_THAT(Said(kFirst), ElementsAre("prompt 1", "prompt 2", "prompt 3", "prompt 4", "prompt 5"));
  EXPECT_THAT(Said(kSecond), ElementsAre("prompt 6"));
  EXPECT_EQ(ResumedFrom(kSecond), kFirst);
}

// The next three: whatever the times of the files are. A copied folder may have any.
TEST_F(ResumedSessionsTest, AreCopiesOfTheSessionWhoseRecordsAreOlder) {
  Session(kSecond, Prompts(kSecond, 1, 5));
  Session(kFirst, Prompts(kFirst, 1, 3));
  ImportAll();
  EXPECT_EQ(ResumedFrom(kFirst), "");
  EXPECT_EQ(ResumedFrom(kSecond), kFirst);
  EXPECT_THAT(Said(kSecond), ElementsAre("prompt 4", "prompt 5"));
}

TEST_F(ResumedSessionsTest, AreCopiesOfTheSessionThatTheirRecordsName) {
  Session(kSecond, Prompts(kThird, 1, 3) + Prompts(kSecond, 4, 5));
  Session(kThird, Prompts(kThird, 1, 3) + Prompts(kThird, 8, 9));
  ImportAll();
  EXPECT_EQ(ResumedFrom(kThird), "");
  EXPECT_EQ(ResumedFrom(kSecond), kThird);
}

TEST_F(ResumedSessionsTest, AreCopiesOfTheSessionThatEndedBeforeThem) {
  std::string later = Prompt(kSecond, 4);
  later.replace(later.find("T12:"), 4, "T13:");
  Session(kSecond, Prompts(kSecond, 1, 3) + later);
  Session(kThird, Prompts(kThird, 1, 3));
  ImportAll();
  EXPECT_EQ(ResumedFrom(kThird), "");
  EXPECT_EQ(ResumedFrom(kSecond), kThird);
  EXPECT_THAT(Said(kSecond), ElementsAre("prompt 4"));
}

// Nothing is left out because another file has it that was never imported.
TEST_F(ResumedSessionsTest, ComeInCompletelyWithoutTheOther) {
  Session(kSecond, Prompts(kSecond, 1, 5));
  ImportAll();
  EXPECT_THAT(Said(kSecond), SizeIs(5));
  EXPECT_EQ(ResumedFrom(kSecond), "");
  Session(kFirst, Prompts(kFirst, 1, 3));
  EXPECT_EQ(ImportAll().added, 1U);
  EXPECT_THAT(Said(kFirst), IsEmpty());
  EXPECT_EQ(ResumedFrom(kFirst), kSecond);
  Settle();
  EXPECT_EQ(ImportAll().unchanged, 2U);
}

// The file of a subagent that begins with what its session has, beside it.
class SubagentsBesideSessionsTest : public ResumedSessionsTest {
 protected:
  static std::string Side(std::string records) {
    constexpr std::string_view kMain = R"("isSidechain":false)";
    for (std::size_t at = 0; (at = records.find(kMain, at)) != std::string::npos;) {
      records.replace(at, kMain.size(), R"("isSidechain":true,"agentId":"acompact-1")");
    }
    return records;
  }
  void Agent(const std::string& session, int from, int to) {
    Write("all/agent-acompact-1.jsonl", Side(Prompts(session, from, to)));
  }
};

TEST_F(SubagentsBesideSessionsTest, RepeatNothingOfThem) {
  const std::string agent = kFirst + "/agent-acompact-1";
  Session(kFirst, Prompts(kFirst, 1, 3));
  Agent(kFirst, 2, 4);
  EXPECT_EQ(ImportAll().added, 2U);
  EXPECT_THAT(Said(kFirst), SizeIs(3));
  EXPECT_THAT(Said(agent), ElementsAre("prompt 4"));
  EXPECT_EQ(ResumedFrom(agent), kFirst);
  EXPECT_EQ(Export(agent), Side(Prompts(kFirst, 2, 4)));
  Agent(kFirst, 2, 5);
  EXPECT_EQ(ImportAll().extended, 1U);
  EXPECT_THAT(Said(agent), ElementsAre("prompt 4", "prompt 5"));
  Settle();
  EXPECT_EQ(ImportAll().unchanged, 2U);
}

// The names of such sessions come after those of their subagents.
TEST_F(SubagentsBesideSessionsTest, ComeAfterSessionsWithAnyName) {
  Write("all/session.jsonl", Prompts(kFirst, 1, 3));
  Agent(kFirst, 1, 4);
  EXPECT_EQ(ImportAll().added, 2U);
  EXPECT_THAT(Said(kFirst), SizeIs(3));
  EXPECT_THAT(Said(kFirst + "/agent-acompact-1"), ElementsAre("prompt 4"));
}

TEST_F(SubagentsBesideSessionsTest, KeepTheirMeaning) {
  const std::string agent = kFirst + "/agent-acompact-1";
  Agent(kFirst, 1, 2);
  EXPECT_EQ(ImportAll().added, 1U);
  Session(kFirst, Prompts(kFirst, 1, 3));
  Agent(kFirst, 1, 4);
  const ImportReport report = ImportAll();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.added, 1U);
  EXPECT_THAT(Said(agent), SizeIs(4)) << "it came in before its session";
  EXPECT_THAT(Said(kFirst), SizeIs(3));
}

TEST_F(SubagentsBesideSessionsTest, AreNoCopiesWithRecordsOfTheirOwn) {
  Session(kFirst, Prompts(kFirst, 1, 3));
  Agent(kFirst, 7, 8);
  ImportAll();
  EXPECT_THAT(Said(kFirst + "/agent-acompact-1"), SizeIs(2));
  EXPECT_EQ(ResumedFrom(kFirst + "/agent-acompact-1"), "");
}

// The same in the folder of its session.
class SubagentsOfSessionsTest : public SubagentsBesideSessionsTest {
 protected:
  ImportReport ImportPath(const fs::path& path, SecretDetection detect = SecretDetection::kReport) {
    return Must(Import(*log_, "claude-code", {&path, 1}, {.detect = detect}));
  }
  // As if the index was lost.
  void ForgetSources() {
    for (const ConversationId& id : All()) Must(log_->SetWatermark(kImportConsumer, id, {}));
    fs::rename(dir_ / "all", dir_ / "moved");
    fs::rename(dir_ / "moved", dir_ / "all");
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / "all")) {
      if (entry.is_regular_file()) fs::last_write_time(entry.path(), entry.last_write_time() + std::chrono::hours(1));
    }
  }

  const std::string agent_ = kFirst + "/agent-acompact-1";
  const fs::path file_ =
      Write("all/" + kFirst + "/subagents/agent-acompact-1.jsonl", Side(Prompts(kFirst, 1, 2) + Prompts(kFirst, 7, 8)));
};

TEST_F(SubagentsOfSessionsTest, KeepTheirMeaningIfTheyCameBeforeThem) {
  for (const SecretDetection detect : {SecretDetection::kReport, SecretDetection::kRedact}) {
    TempStore store;
    std::swap(store.log, log_);
    EXPECT_EQ(ImportPath(file_, detect).added, 1U);
    EXPECT_THAT(Said(agent_), SizeIs(4));
    Session(kFirst, Prompts(kFirst, 1, 3));
    for (int run = 0; run < 2; ++run) {
      ForgetSources();
      const ImportReport report = ImportPath(dir_ / "all", detect);
      EXPECT_THAT(report.problems, IsEmpty());
      EXPECT_EQ(report.added, run == 0 ? 1U : 0U);
      EXPECT_THAT(report.notes, IsEmpty());
      EXPECT_THAT(Said(agent_), ElementsAre("prompt 1", "prompt 2", "prompt 7", "prompt 8"));
      EXPECT_THAT(Said(kFirst), SizeIs(3));
      EXPECT_EQ(Export(agent_), Side(Prompts(kFirst, 1, 2) + Prompts(kFirst, 7, 8)));
    }
    EXPECT_EQ(ImportPath(dir_ / "all", detect).events, 0U);
    std::swap(store.log, log_);
  }
}

// Its session is removed after some time.
TEST_F(SubagentsOfSessionsTest, KeepTheirMeaningIfTheyAreLeftBehind) {
  const fs::path session = Session(kFirst, Prompts(kFirst, 1, 3));
  ImportAll();
  EXPECT_THAT(Said(agent_), ElementsAre("prompt 7", "prompt 8"));
  fs::remove(session);
  for (const SecretDetection detect : {SecretDetection::kReport, SecretDetection::kRedact}) {
    ForgetSources();
    const ImportReport report = ImportPath(dir_ / "all", detect);
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_THAT(report.notes, IsEmpty());
    EXPECT_THAT(Said(agent_), ElementsAre("prompt 7", "prompt 8"));
  }
}

// The session that it was resumed from has gone on with the same records, which another file had.
TEST_F(ResumedSessionsTest, KeepWhatWasTheirOwn) {
  const fs::path first = Session(kFirst, Prompts(kFirst, 1, 3));
  Session(kSecond, Prompts(kSecond, 1, 5));
  ImportAll();
  Session(kFirst, Prompts(kFirst, 1, 4));
  ImportAll();
  Session(kSecond, Prompts(kSecond, 1, 6), "copy");
  Must(log_->SetWatermark(kImportConsumer, Id(kSecond), {}));
  const ImportReport report = ImportAll("copy");
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_THAT(Said(kSecond), ElementsAre("prompt 4", "prompt 5", "prompt 6"));
}

// Many hand-made files name their records u1, u2, ...
TEST_F(ResumedSessionsTest, HaveRecordsWithRealIds) {
  for (const std::string& session : {kFirst, kSecond}) Session(session, ClaudeUser("u1", R"("Hi")") + "\n");
  ImportAll();
  EXPECT_THAT(Said(kFirst), SizeIs(1));
  EXPECT_THAT(Said(kSecond), SizeIs(1));
}

}  // namespace
}  // namespace turnlog::resumed_sessions_test
