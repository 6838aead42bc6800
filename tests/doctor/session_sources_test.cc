// In a user's home, the sessions are in hidden folders, one for each tool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/doctor/session_files.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::session_sources_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kClaude = ".claude/projects/-home-ann-boat/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.jsonl";
const std::string kRollout =
    "sessions/2026/08/01/rollout-2026-08-01T10-00-00-019fc8be-3658-7ca3-9e29-0123456789ab.jsonl";
const std::string kCodex = ".codex/" + kRollout;
const std::string kGemini = ".gemini/tmp/boat/chats/session-2026-05-04T10-00-0a1b2c3d.jsonl";
const std::string kStorage = ".local/share/opencode/storage";

// Sets a variable of the environment and gives it back its value.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Setting() { before_.empty() ? ::unsetenv(name_) : ::setenv(name_, before_.c_str(), 1); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::string before_;
};

class SessionSourcesTest : public testing::Test {
 protected:
  static DoctorReport Examine(const fs::path& path, DoctorOptions options = {}) {
    const std::array<fs::path, 1> paths{path};
    options.jobs = 1;
    return Must(ExamineSessions(paths, options));
  }

  void Add(const std::string& fixture, const fs::path& to) const {
    fs::create_directories((home_ / to).parent_path());
    fs::copy(DamagedSessions() / fixture, home_ / to, fs::copy_options::recursive);
  }

  // A session of each tool, with something to mend.
  void AddAll() const {
    Add("claude-code/orphaned-call.jsonl", kClaude);
    Add("codex/orphaned-call/" + kRollout.substr(kRollout.rfind('/') + 1), kCodex);
    Add("gemini/orphaned-call/" + kGemini.substr(kGemini.rfind('/') + 1), kGemini);
    Add("opencode/storage-torn-part", kStorage);
  }

  static std::set<std::string> FormatsOf(const DoctorReport& report) {
    std::set<std::string> formats;
    for (const SessionReport& session : report.sessions) formats.insert(session.format);
    return formats;
  }

  TempDir home_;
};

TEST_F(SessionSourcesTest, OfEveryToolAreFoundInAHome) {
  AddAll();
  const DoctorReport report = Examine(home_.path());
  EXPECT_THAT(FormatsOf(report), ElementsAre("claude-code", "codex", "gemini", "opencode"));
  EXPECT_THAT(report.problems, IsEmpty());
  for (const char* format : {"claude-code", "codex", "gemini", "opencode"}) {
    EXPECT_TRUE(std::ranges::any_of(report.sessions, [&](const SessionReport& session) {
      return session.format == format && !session.findings.empty();
    })) << format;
  }
}

TEST_F(SessionSourcesTest, OfAHomeAreMendedWhereTheyAre) {
  AddAll();
  const DoctorReport report = Examine(home_.path(), {.action = DoctorAction::kReplace, .idle_seconds = 0});
  EXPECT_EQ(std::ranges::count_if(report.sessions, [](const auto& session) { return !session.written.empty(); }), 4);
  const DoctorReport again = Examine(home_.path(), {.action = DoctorAction::kReplace, .idle_seconds = 0});
  for (const SessionReport& session : again.sessions) EXPECT_TRUE(session.written.empty()) << session.path;
}

// Copies have the folders below the one that was named, not below those of the tools.
TEST_F(SessionSourcesTest, OfAHomeHaveCopiesInFoldersAsThere) {
  AddAll();
  TempDir out;
  (void)Examine(home_.path(), {.action = DoctorAction::kCopy, .out = out.path()});
  for (const std::string& file : {kClaude, kCodex, kGemini, kStorage + "/session"}) {
    EXPECT_TRUE(fs::exists(out / file)) << file;
  }
}

TEST_F(SessionSourcesTest, InFoldersThatVariablesNameAreFoundInTheUsersOwnHome) {
  TempDir other;
  fs::create_directories((other / "codex" / kRollout).parent_path());
  fs::copy(DamagedSessions() / "codex/sound" / fs::path(kRollout).filename(), other / "codex" / kRollout);
  const Setting named("CODEX_HOME", (other / "codex").string());
  EXPECT_THAT(FormatsOf(Examine(home_.path())), IsEmpty()) << "of another user";
  const Setting home("HOME", home_.path().string());
  EXPECT_THAT(FormatsOf(Examine(home_.path())), ElementsAre("codex"));
}

TEST_F(SessionSourcesTest, AreExaminedOnceIfAVariableNamesTheUsualFolder) {
  AddAll();
  const Setting named("CODEX_HOME", (home_ / ".codex/../.codex/").string());
  const Setting home("HOME", home_.path().string());
  const DoctorReport report = Examine(home_.path());
  EXPECT_EQ(std::ranges::count(report.sessions, "codex", &SessionReport::format), 1);
}

TEST_F(SessionSourcesTest, InOtherHiddenFoldersAreNotFoundAndANoteNamesThese) {
  Add("claude-code/sound.jsonl", ".backups/old.jsonl");
  Add("claude-code/sound.jsonl", "work/.hidden/old.jsonl");
  AddAll();
  const DoctorReport report = Examine(home_.path());
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_THAT(report.notes.front(),
              HasSubstr((home_ / ".backups").string() + ", " + (home_ / "work/.hidden").string()));
  EXPECT_THAT(report.notes.front(), Not(HasSubstr(".claude")));
  EXPECT_THAT(report.notes.front(), Not(HasSubstr(".local")));
  EXPECT_EQ(std::ranges::count(report.sessions, "claude-code", &SessionReport::format), 1);
}

// With an image or instructions, for example: more than is read to recognise a format.
TEST_F(SessionSourcesTest, ThatBeginWithALargeRecordAreFound) {
  AddAll();
  const auto enlarge = [&](const std::string& file, const std::string& before) {
    std::string text = TextOf(home_ / file);
    ASSERT_TRUE(text.contains(before)) << file;
    text.insert(text.find(before) + before.size(), std::string(200'000, 'x'));
    WriteText(home_ / file, text);
  };
  enlarge(kClaude, R"("content":")");
  enlarge(kCodex, R"("originator":")");
  const DoctorReport report = Examine(home_.path());
  EXPECT_THAT(FormatsOf(report), ElementsAre("claude-code", "codex", "gemini", "opencode"));
}

// An image in the first message, and tools before the messages.
TEST_F(SessionSourcesTest, DocumentsThatBeginWithALargeElementAreFound) {
  const std::string large(200'000, 'A');
  const std::string image = R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":")" + large;
  const std::string call = R"({"type":"tool_use","id":"toolu_1","name":"f","input":{}})";
  const std::string messages =
      R"({"role":"user","content":[)" + image + R"("}}]},{"role":"assistant","content":[)" + call + R"(]}])";
  WriteText(home_ / "image.json", R"({"model":"m","messages":[)" + messages + "}");
  WriteText(home_ / "tools.json", R"({"tools":[{"name":")" + large + R"("}],"messages":[)" +
                                      R"({"role":"assistant","content":[)" + call + "]}]}");
  WriteText(
      home_ / "result.json",
      R"([{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":")" + large + R"("}]}])");
  WriteText(home_ / "chat.json", R"({"messages":[{"role":"tool","tool_call_id":"c","content":")" + large + R"("}]})");
  WriteText(home_ / "other.json", R"({"data":[")" + large + R"("]})");
  const DoctorReport report = Examine(home_.path());
  std::vector<std::string> found;
  for (const SessionReport& session : report.sessions)
    found.push_back(session.path.filename().string() + " " + session.format);
  EXPECT_THAT(found,
              ElementsAre("chat.json openai", "image.json anthropic", "result.json anthropic", "tools.json anthropic"));
}

// A cleanup of the home itself would change files of other programs.
TEST_F(SessionSourcesTest, DoNotMakeAHomeATools) {
  AddAll();
  const Setting home("HOME", home_.path().string()), named("CODEX_HOME", home_.path().string());
  Add("codex/sound/" + fs::path(kRollout).filename().string(), kRollout);
  WriteText(home_ / "history.jsonl", "mine");
  const DoctorReport report =
      Examine(home_.path(), {.action = DoctorAction::kReplace, .redact = true, .idle_seconds = 0});
  const auto is_searched = [&](const fs::path& path) {
    return std::ranges::find(report.surroundings, path, &SurroundingReport::path) != report.surroundings.end();
  };
  EXPECT_FALSE(is_searched(home_ / "history.jsonl"));
}

}  // namespace
}  // namespace turnlog::session_sources_test
