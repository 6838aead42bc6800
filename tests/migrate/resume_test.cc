// Sessions that are put where tools look for them.
#include "turnlog/migrate/resume.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <fstream>
#include <map>

#include "migrate/sessions/loaded_session.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::resume_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kTalk =
    R"({"conversation":"talk","type":"turn_start"})"
    "\n"
    R"({"conversation":"talk","type":"chat_request","content":"Build a boat\nof wood","timestamp":"2026-01-02T03:04:05Z"})"
    "\n"
    R"({"conversation":"talk","type":"tool_call_request","id":"a","name":"ls","arguments":{}})"
    "\n"
    R"({"conversation":"talk","type":"tool_call_response","id":"a","content":"wood","is_error":false})"
    "\n";

class ResumeTest : public ImportTest {
 protected:
  ResumeTest() { Jsonl({Write("talk.jsonl", kTalk)}); }

  ResumeTarget Target(SessionTool tool) { return {tool, ToolRoot(tool, dir_ / "home"), "/work/boat of ann"}; }
  ResumeReport Resume(SessionTool tool, bool dry_run = false) {
    return Must(WriteForResume(*log_, Id("talk"), Target(tool), {}, dry_run));
  }

  static std::string Read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Runs statements on a database, and returns the first value of the last result.
  std::string Sql(const fs::path& path, const std::string& sql) {
    fs::create_directories(path.parent_path());
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    std::string value;
    const auto row = [](void* out, int, char** values, char**) {
      *static_cast<std::string*>(out) = values[0] == nullptr ? "NULL" : values[0];
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), row, &value, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    sqlite3_close(database);
    return value;
  }
};

// As Codex' first migrations make it.
constexpr const char* kThreads =
    "CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at "
    "INTEGER NOT NULL, source TEXT NOT NULL, model_provider TEXT NOT NULL, cwd TEXT NOT NULL, title TEXT NOT NULL, "
    "sandbox_policy TEXT NOT NULL, approval_mode TEXT NOT NULL, tokens_used INTEGER NOT NULL DEFAULT 0, archived "
    "INTEGER "
    "NOT NULL DEFAULT 0, git_sha TEXT";

TEST_F(ResumeTest, WritesAPrivateFileThatTheToolLoads) {
  for (const SessionTool tool : AllSessionTools()) {
    SCOPED_TRACE(ToString(tool));
    const ResumeReport report = Resume(tool);
    EXPECT_EQ(report.session, SessionIdOf(tool, "talk"));
    EXPECT_THAT(report.file.string(), StartsWith(Target(tool).root.string()));
    EXPECT_EQ(Must(LoadSession(tool, Read(report.file))).id, report.session);
    EXPECT_EQ(fs::status(report.file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(fs::status(report.file.parent_path()).permissions(), fs::perms::owner_all);
    EXPECT_THAT(report.command, AllOf(StartsWith("cd '/work/boat of ann' && "), EndsWith(report.session)));
    EXPECT_TRUE(report.database.empty());
    EXPECT_EQ(Resume(tool).file, report.file) << "a second run finds what it wrote";
  }
}

TEST_F(ResumeTest, NamesFilesAsTheToolsDo) {
  const std::string codex = SessionIdOf(SessionTool::kCodexCli, "talk");
  const std::string gemini = SessionIdOf(SessionTool::kGeminiCli, "talk");
  EXPECT_THAT(Resume(SessionTool::kClaude, true).file.string(), HasSubstr("/projects/-work-boat-of-ann/"));
  EXPECT_THAT(Resume(SessionTool::kCodexCli, true).file.string(),
              EndsWith("/sessions/2026/01/02/rollout-2026-01-02T03-04-05-" + codex + ".jsonl"));
  EXPECT_THAT(Resume(SessionTool::kGeminiCli, true).file.string(),
              AllOf(HasSubstr("/tmp/"), EndsWith("/chats/session-2026-01-02T03-04-" + gemini.substr(0, 8) + ".jsonl")));
  Write("home/.gemini/projects.json", R"({"projects":{"/work/boat of ann":"boat"}})");
  EXPECT_THAT(Resume(SessionTool::kGeminiCli, true).file.string(), HasSubstr("/tmp/boat/chats/"));
}

TEST_F(ResumeTest, WritesNothingOnADryRun) {
  for (const SessionTool tool : AllSessionTools()) Resume(tool, true);
  EXPECT_FALSE(fs::exists(dir_ / "home"));
}

TEST_F(ResumeTest, OverwritesNoSession) {
  for (const SessionTool tool : AllSessionTools()) {
    SCOPED_TRACE(ToString(tool));
    const ResumeReport report = Resume(tool);
    std::ofstream(report.file, std::ios::app) << "\n";
    const std::string before = Read(report.file);
    EXPECT_EQ(WriteForResume(*log_, Id("talk"), Target(tool), {}, false).error().code, ErrorCode::kConflict);
    EXPECT_EQ(Read(report.file), before);
  }
  // Codex finds a session by its id, whatever the day in its path.
  const fs::path elsewhere = dir_ / "home/.codex/archived_sessions";
  fs::create_directories(elsewhere);
  fs::remove_all(dir_ / "home/.codex/sessions");
  std::ofstream(elsewhere / ("rollout-x-" + SessionIdOf(SessionTool::kCodexCli, "talk") + ".jsonl")) << "{}\n";
  EXPECT_EQ(WriteForResume(*log_, Id("talk"), Target(SessionTool::kCodexCli), {}, false).error().code,
            ErrorCode::kConflict);
}

TEST_F(ResumeTest, AddsARowToTheNewestIndexOfCodex) {
  const fs::path root = dir_ / "home/.codex";
  Sql(root / "state_4.sqlite", kThreads + std::string(")"));
  Sql(root / "state_10.sqlite",
      kThreads + std::string(", preview TEXT NOT NULL DEFAULT '', recency_at_ms INTEGER, memory_mode TEXT)"));
  const ResumeReport report = Resume(SessionTool::kCodexCli);
  EXPECT_EQ(report.database, root / "state_10.sqlite");
  const auto column = [&](const std::string& name) {
    return Sql(report.database, "SELECT " + name + " FROM threads WHERE id='" + report.session + "'");
  };
  EXPECT_EQ(column("rollout_path"), report.file.string());
  EXPECT_EQ(column("cwd"), "/work/boat of ann");
  EXPECT_EQ(column("title"), "Build a boat");
  EXPECT_EQ(column("created_at"), "1767323045");
  EXPECT_EQ(column("recency_at_ms"), "1767323045000");
  EXPECT_EQ(column("memory_mode"), "NULL");
  Resume(SessionTool::kCodexCli);
  EXPECT_EQ(Sql(report.database, "SELECT count(*) FROM threads"), "1");
  EXPECT_EQ(Sql(root / "state_4.sqlite", "SELECT count(*) FROM threads"), "0");
}

TEST_F(ResumeTest, RefusesAnIndexThatNeedsMoreBeforeItWrites) {
  Sql(dir_ / "home/.codex/state_5.sqlite", kThreads + std::string(", shape TEXT NOT NULL)"));
  EXPECT_EQ(WriteForResume(*log_, Id("talk"), Target(SessionTool::kCodexCli), {}, false).error().code,
            ErrorCode::kUnsupportedVersion);
  EXPECT_FALSE(fs::exists(dir_ / "home/.codex/sessions"));
}

// What the tool itself wrote goes out as it is; if its provider would refuse it, it is written again.
TEST_F(ResumeTest, KeepsTheBytesOfItsOwnSessionsIfTheyPass) {
  const auto after = [](std::string record, const std::string& parent) {
    return record.replace(record.find("null"), 4, "\"" + parent + "\"") + "\n";
  };
  const std::string good = ClaudeUser("u", R"("Hi")") + "\n";
  const std::string open =
      good + after(ClaudeAssistant("a", ClaudeCall("t", "ls")), "u") + after(ClaudeUser("v", R"("Ho")"), "a");
  for (const std::string& text : {good, open}) {
    TempStore store;
    Must(Import(*store.log, "claude-code", std::vector{Write(std::string(kClaudeSession) + ".jsonl", text)}));
    const ResumeTarget target{SessionTool::kClaude, dir_ / std::to_string(text.size()), "/boat"};
    const ResumeReport report = Must(WriteForResume(*store.log, Id(kClaudeSession), target, {}, false));
    EXPECT_EQ(Read(report.file) == text, text == good);
  }
}

// Gemini CLI appends lines to files of lines, and takes over documents.
TEST_F(ResumeTest, NamesADocumentOfGeminiAsOne) {
  for (const char* const gap : {"", "\n  "}) {
    const std::string text = fmt::format(
        R"({{"sessionId":"{}",{}"startTime":"2026-01-02T03:04:05Z","messages":[{{"id":"u","type":"user","content":"Hi"}}]}})",
        kClaudeSession, gap);
    TempStore store;
    Must(Import(*store.log, "gemini", std::vector{Write("session-a.json", text)}));
    const ResumeTarget target{SessionTool::kGeminiCli, dir_ / ("home" + std::to_string(text.size())), "/boat"};
    const ResumeReport report = Must(WriteForResume(*store.log, Id(kClaudeSession), target, {}, false));
    EXPECT_EQ(report.file.extension(), ".json");
    EXPECT_EQ(Read(report.file), text);
    EXPECT_EQ(Must(Import(*store.log, "gemini", std::vector{report.file})).unchanged, 1U);
  }
}

// What a tool goes on with is imported beside what it was made from.
TEST_F(ResumeTest, WritesSessionsThatTheSameStoreImports) {
  const std::map<std::string, std::string> sources{
      {"claude-code", ClaudeUser("u", R"("Hi")") + "\n"},
      {"codex", fmt::format(R"({{"type":"session_meta","payload":{{"id":"{}","timestamp":"2026-01-02T03:04:05Z",)"
                            R"("cwd":"/","originator":"codex_cli_rs","cli_version":"1"}}}})"
                            "\n"
                            R"({{"type":"response_item","payload":{{"type":"message","role":"user","content":)"
                            R"([{{"type":"input_text","text":"Hi"}}]}}}})"
                            "\n",
                            kClaudeSession)},
      {"gemini",
       fmt::format(R"({{"sessionId":"{}","messages":[{{"id":"u","type":"user","content":"Hi"}}]}})", kClaudeSession)}};
  for (const auto& [format, text] : sources) {
    const std::string name = format == "gemini" ? "s.json" : std::string(kClaudeSession) + ".jsonl";
    const fs::path source = Write(format + "/" + name, text);
    TempStore store;
    ASSERT_EQ(Must(Import(*store.log, format, std::vector{source})).added, 1U) << format;
    Must(store.log->Append(Id(kClaudeSession), std::vector{Event{.body = ChatResponse{ChatPart::kMessage, "Hello"}}}));
    for (const SessionTool tool : AllSessionTools()) {
      if (format == ToString(tool) && tool != SessionTool::kGeminiCli) continue;  // keeps its records
      SCOPED_TRACE(fmt::format("{} of {}", ToString(tool), format));
      const ResumeTarget target{tool, dir_ / (format + " in " + std::string(ToString(tool))), "/boat"};
      const ResumeReport resumed = Must(WriteForResume(*store.log, Id(kClaudeSession), target, {}, false));
      const ImportReport report = Must(Import(*store.log, ToString(tool), std::vector{resumed.file}));
      EXPECT_THAT(report.problems, testing::IsEmpty());
      EXPECT_EQ(report.added, 1U);
    }
  }
}

TEST(ClaudeProjectName, IsThatOfTheTool) {
  EXPECT_EQ(ClaudeProjectName("/home/ann/my_boat.v2"), "-home-ann-my-boat-v2");
  EXPECT_EQ(ClaudeProjectName("/\xc3\xa9/\xf0\x9f\x9a\xa3"), "-----") << "UTF-16";
  EXPECT_EQ(ClaudeProjectName("/a\xff\xc3z"), "-a--z") << "not UTF-8";
  const std::string name = ClaudeProjectName("/" + std::string(250, 'a'));
  EXPECT_EQ(name.substr(0, 201), "-" + std::string(199, 'a') + "-");
  EXPECT_EQ(name.substr(201), "feo44x");
}

}  // namespace
}  // namespace turnlog::resume_test
