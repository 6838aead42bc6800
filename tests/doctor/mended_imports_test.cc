// Sessions that were imported, mended in place, and imported again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/doctor/session_files.h"
#include "tests/migrate/agents_database.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/fake_token.h"
#include "tests/support/must.h"

namespace turnlog::mended_imports_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// What doctor makes of it is not recognised: it begins a list with a message of its own.
const std::set<std::string> kRefused{"anthropic/cut-beginning.json"};

struct Imported {
  std::string format, name;
};

std::vector<Imported> Fixtures() {
  std::vector<Imported> all;
  const std::vector<std::pair<std::string, std::string>> folders{{"claude-code", "claude-code"},
                                                                 {"codex", "codex"},
                                                                 {"gemini", "gemini"},
                                                                 {"anthropic", "anthropic"},
                                                                 {"openai-chat", "openai"},
                                                                 {"openai-responses", "openai"},
                                                                 {"opencode", "opencode"},
                                                                 {"ui-messages", "ui-messages"},
                                                                 {"model-messages", "model-messages"},
                                                                 {"jp", "jp"}};
  for (const auto& [folder, format] : folders) {
    for (const auto& entry : fs::directory_iterator(DamagedSessions() / folder)) {
      all.push_back({format, folder + "/" + entry.path().filename().string()});
    }
  }
  return all;
}

class MendedImportsTest : public ImportTest {
 protected:
  ImportReport Import(const fs::path& path, const std::string& format = "auto") {
    Settle();
    return Must(turnlog::Import(*log_, format, {&path, 1}));
  }

  void Mend(const fs::path& path, bool redact = false) {
    const std::array<fs::path, 1> paths{path};
    Must(ExamineSessions(
        paths, {.action = DoctorAction::kReplace, .close_open = true, .redact = redact, .idle_seconds = 0, .jobs = 1}));
  }
};

TEST_F(MendedImportsTest, AddWhatIsNewOnce) {
  for (const auto& [format, name] : Fixtures()) {
    SCOPED_TRACE(name);
    TempStore store;
    log_.swap(store.log);
    const fs::path path = dir_ / name;
    fs::create_directories(path.parent_path());
    fs::copy(DamagedSessions() / name, path, fs::copy_options::recursive);
    Import(path, format);
    std::map<std::string, std::vector<Event>> before;
    for (const ConversationId& id : All()) before[id.text()] = Events(id.text());
    Mend(path);
    const ImportReport again = Import(path, format);
    EXPECT_EQ(again.failed, kRefused.contains(name) ? 1U : 0U);
    for (const ImportProblem& problem : again.problems) {
      EXPECT_TRUE(kRefused.contains(name)) << ToString(problem);
      EXPECT_THAT(problem.reason, HasSubstr("doctor"));
    }
    for (const auto& [id, events] : before) {
      const std::vector<Event> now = Events(id);
      ASSERT_GE(now.size(), events.size());
      EXPECT_TRUE(std::ranges::equal(events, std::span(now).first(events.size()))) << "the log keeps what it had";
    }
    EXPECT_EQ(All().size(), before.size());
    std::map<std::string, Seq> last;
    for (const ConversationId& id : All()) last[id.text()] = Last(id.text());
    for (const ConversationId& id : All()) Must(log_->SetWatermark("import", id, {}));
    EXPECT_EQ(Import(path, format).events, 0U);
    for (const auto& [id, seq] : last) EXPECT_EQ(Last(id), seq) << "nothing comes in twice";
    log_.swap(store.log);
  }
}

// What the log has of a secret is removed by `redact` alone.
TEST_F(MendedImportsTest, MayHaveBeenRedacted) {
  const fs::path path = dir_ / "0b8c5d1e-2f3a-4b6c-8d7e-9f0a1b2c3d4e.jsonl";
  std::string text = TextOf(DamagedSessions() / "claude-code" / "sound.jsonl");
  text.replace(text.find("There is one file."), 5, "There, " + kFakeToken + ",");
  WriteText(path, text);
  Import(path);
  Mend(path, true);
  ASSERT_FALSE(TextOf(path).contains(kFakeToken));
  const ImportReport again = Import(path);
  EXPECT_EQ(again.failed, 0U);
  EXPECT_EQ(ExportRawText("claude-code", "0b8c5d1e-2f3a-4b6c-8d7e-9f0a1b2c3d4e"), TextOf(path));
}

// The log has no place for what an element of jp has become: it keeps what it was, and the conversation goes on.
TEST_F(MendedImportsTest, GoOnInJp) {
  const auto element = [](std::string_view type, std::string_view content) {
    return fmt::format(R"({{"timestamp":"2026-08-01 10:00:01.0","type":"{}","content":"{}"}})", type, content);
  };
  const std::string first = "[" + element("chat_request", "use " + kFakeToken);
  const fs::path path = WriteJp("17750000000-x", first + ", nonsense," + element("odd", "x") + "]");
  Import(path);
  const std::size_t events = Events("17750000000").size();
  Mend(path, true);
  const std::string mended = TextOf(path / "events.json");
  ASSERT_FALSE(mended.contains(kFakeToken) || mended.contains("nonsense"));
  EXPECT_EQ(Import(path).failed, 0U);
  WriteText(path / "events.json", mended.substr(0, mended.rfind(']')) + "," + element("chat_request", "more") + "]");
  EXPECT_EQ(Import(path).failed, 0U);
  EXPECT_THAT(Said("17750000000"), ElementsAre("use " + kFakeToken, "more"));
  EXPECT_EQ(Events("17750000000").size(), events + 2) << "with an import record";
  WriteText(path / "events.json", "[" + element("chat_request", "another") + "]");
  EXPECT_EQ(Import(path).failed, 1U);
}

// A row that doctor puts between others makes the numbers of those after it higher, in all sessions.
TEST_F(MendedImportsTest, RecogniseRowsThatHaveOtherNumbers) {
  using agents_database::Message;
  using agents_database::Session;
  const fs::path path = dir_ / "sessions.db";
  const auto said = [](const std::string& session, const std::string& text) {
    return Message(session, R"({"role":"user","content":")" + text + R"("})");
  };
  const std::string call = R"({"type":"function_call","call_id":"c","name":"ls","arguments":"{}"})";
  const std::string kept = R"({"role":"developer","content":"Be brief."})";
  const auto run = [&](const std::string& sql) { TestDatabase(path).Run(sql); };
  run(agents_database::kTables + Session("a") + Session("b") + Session("c") + said("a", "a1") + Message("a", call) +
      said("a", "a2") + said("a", "a2") + said("b", "b1") + said("c", "c1") + Message("c", kept) + said("c", "c2"));
  Import(path);
  const std::size_t events = Events("a").size() + Events("b").size() + Events("c").size();
  Mend(path);
  const auto import = [&] {
    const ImportReport report = Import(path);
    for (const ImportProblem& problem : report.problems) ADD_FAILURE() << ToString(problem);
    return report.events;
  };
  EXPECT_EQ(import(), 2U) << "an import record, and the result that was added";
  run(said("a", "a3") + said("b", "b2") + said("c", "c3"));
  EXPECT_EQ(import(), 3U * 3U);
  EXPECT_EQ(Events("a").size() + Events("b").size() + Events("c").size(), events + 2 + 9);
  EXPECT_THAT(Said("a"), ElementsAre("a1", "a2", "a2", "a3"));
  EXPECT_THAT(Said("b"), ElementsAre("b1", "b2"));
  EXPECT_THAT(Said("c"), ElementsAre("c1", "c2", "c3"));
}

}  // namespace
}  // namespace turnlog::mended_imports_test
