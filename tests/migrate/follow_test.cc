// Following sources that are being written.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "migrate/sources/folder_watch.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"

namespace turnlog::follow_test {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kSession(kClaudeSession);

class FollowTest : public ImportTest {
 protected:
  FollowTest() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    stop_read_ = ends[0];
    stop_write_ = ends[1];
  }
  ~FollowTest() override {
    Stop();
    ::close(stop_read_);
  }

  // `unseen`: what happens after the first import and before anything of it is looked at.
  void Start(const fs::path& path, const std::string& format = "auto", const std::function<void()>& unseen = {}) {
    thread_ = std::thread([this, path, format, unseen] {
      const auto on_report = [this, unseen](const ImportReport& report) {
        const std::scoped_lock lock(mutex_);
        if (reports_ == 0 && unseen) unseen();
        events_ += report.events;
        problems_ += report.problems.size();
        bytes_read_ += report.bytes_read;
        ++reports_;
        changed_.notify_all();
      };
      status_ = FollowImports(*log_, format, {&path, 1}, stop_read_, on_report);
    });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reports_ > 0; });
  }

  void Stop() {
    if (!thread_.joinable()) return;
    ::close(stop_write_);
    thread_.join();
    EXPECT_TRUE(status_) << status_.error().message;
  }

  // Waits until this many events have been appended.
  void WaitFor(std::uint64_t events) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return events_ >= events; });
  }

  void WaitForPrompts(std::string_view conversation, const std::vector<std::string>& prompts) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return Prompts(conversation) == prompts; });
  }

  static void AppendTo(const fs::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::app) << text;
  }

  std::vector<std::string> Prompts(std::string_view conversation) {
    return Last(conversation) == Seq{0} ? std::vector<std::string>() : Said(conversation);
  }

  int stop_read_ = -1, stop_write_ = -1;
  std::thread thread_;
  Status status_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t events_ = 0, problems_ = 0, reports_ = 0, bytes_read_ = 0;
};

TEST_F(FollowTest, TakesWhatIsAppended) {
  const fs::path path = Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  Start(dir_ / "p");
  AppendTo(path, ClaudeUser("2", R"("two")") + "\n");
  WaitFor(3 + 3);  // each with its import record and its turn
  AppendTo(path, ClaudeUser("3", R"("three")") + "\n");
  WaitFor(3 + 3 + 3);
  Stop();
  EXPECT_EQ(problems_, 0U);
}

TEST_F(FollowTest, FindsNewFilesInNewFolders) {
  fs::create_directories(dir_ / "p");
  Start(dir_ / "p");
  EXPECT_EQ(problems_, 0U);  // that nothing is there yet is none
  Write("p/a/b/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  WaitFor(3);
  Write("p/a/b/" + kSession + "/subagents/agent-x.jsonl", ClaudeUser("2", R"("go")") + "\n");
  WaitFor(3 + 3);
  WriteJp("17-t", "[\n  {\"type\": \"turn_start\"}\n]\n", "p/c/conversations");
  WaitFor(3 + 3 + 2);
  Stop();
  EXPECT_THAT(All(), SizeIs(3));
}

TEST_F(FollowTest, TakesTheLastStateOfAFileThatIsRemoved) {
  const fs::path path = Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  const fs::path agent = Write("p/" + kSession + "/subagents/agent-x.jsonl", ClaudeUser("a", R"("go")") + "\n");
  Start(dir_ / "p");
  AppendTo(path, ClaudeUser("2", R"("two")") + "\n");
  AppendTo(agent, ClaudeUser("b", R"("on")") + "\n");
  fs::remove_all(dir_ / "p" / kSession);
  fs::remove(path);
  WaitFor(4 * 3);
  Stop();
  EXPECT_EQ(problems_, 0U);
  EXPECT_THAT(Events(kSession), SizeIs(6));
  EXPECT_THAT(Events(kSession + "/agent-x"), SizeIs(6)) << "nothing is removed from the log";
}

// Each way to put another file where one was, just after something was written to it.
class ReplacedFileTest : public FollowTest, public testing::WithParamInterface<const char*> {};

TEST_P(ReplacedFileTest, HasItsLastStateTaken) {
  const std::string way = GetParam();
  const fs::path path = Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  const fs::path other = Write("other", ClaudeUser("3", R"("three")") + "\n");
  Start(dir_ / "p", "auto", [&] {
    AppendTo(path, ClaudeUser("2", R"("two")") + "\n");
    if (way == "removed") fs::remove(path);
    if (way == "moved") fs::rename(path, path.string() + ".1");
    fs::rename(other, path);
  });
  WaitFor(3 * 3);
  Stop();
  EXPECT_EQ(problems_, 0U);
  EXPECT_THAT(Prompts(kSession), ElementsAre("one", "two", "three"));
}

INSTANTIATE_TEST_SUITE_P(Ways, ReplacedFileTest, testing::Values("removed", "moved", "overwritten"),
                         [](const auto& way) { return std::string(way.param); });

TEST_F(FollowTest, FollowsAFileThatIsNamedAndAppearsAgain) {
  const fs::path path = Write(kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  Start(path, "claude-code");
  const fs::path copy = Write("copy", ClaudeUser("1", R"("one")") + "\n" + ClaudeUser("2", R"("two")") + "\n");
  fs::rename(copy, path);
  WaitFor(3 + 3);
  AppendTo(path, ClaudeUser("3", R"("three")") + "\n");
  WaitFor(3 + 3 + 3);
  Write("unrelated.jsonl", "{}\n");
  Stop();
  EXPECT_EQ(problems_, 0U);
}

TEST_F(FollowTest, EndsWithTheLastState) {
  const fs::path path = Write(kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  Start(path, "claude-code");
  Stop();
  EXPECT_EQ(reports_, 1U);
  EXPECT_EQ(FollowImports(*log_, "none", {}, stop_read_, {}).error().code, ErrorCode::kInvalidArgument);
}

// What is named: the folder, or the main file alone.
class FollowedPartsTest : public FollowTest, public testing::WithParamInterface<bool> {
 protected:
  void StartAt(const fs::path& folder, const fs::path& file) { Start(dir_ / (GetParam() ? folder / file : folder)); }
};

INSTANTIATE_TEST_SUITE_P(Named, FollowedPartsTest, testing::Bool(),
                         [](const auto& alone) { return alone.param ? "File" : "Folder"; });

constexpr const char* kAgentsTables =
    "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TEXT, updated_at TEXT);"
    "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT, created_at TEXT);"
    "INSERT INTO agent_sessions (session_id) VALUES ('s');";

std::string AgentsPrompt(const std::string& text) {
  return "INSERT INTO agent_messages (session_id, message_data) VALUES ('s'," +
         Quoted(R"({"role":"user","content":")" + text + "\"}") + ");";
}

TEST_P(FollowedPartsTest, AreRowsInTheLogOfADatabase) {
  TestDatabase database(dir_ / "p/talk.db");
  database.Run("PRAGMA journal_mode=WAL;" + std::string(kAgentsTables) + AgentsPrompt("one"));
  StartAt("p", "talk.db");
  database.Run(AgentsPrompt("two"));
  WaitForPrompts("s", {"one", "two"});
  database.Run(AgentsPrompt("three"));
  WaitForPrompts("s", {"one", "two", "three"});
  Stop();
  EXPECT_EQ(problems_, 0U);
}

// It appears when a program opens the database.
TEST_P(FollowedPartsTest, AreRowsInANewLogOfADatabase) {
  TestDatabase(dir_ / "p/talk.db").Run("PRAGMA journal_mode=WAL;" + std::string(kAgentsTables) + AgentsPrompt("one"));
  ASSERT_FALSE(fs::exists(dir_ / "p/talk.db-wal"));
  StartAt("p", "talk.db");
  TestDatabase database(dir_ / "p/talk.db");
  database.Run(AgentsPrompt("two"));
  WaitForPrompts("s", {"one", "two"});
  Stop();
  EXPECT_EQ(problems_, 0U);
}

TEST_P(FollowedPartsTest, AreFilesInFoldersElsewhere) {
  Write("p/session/proj/s.json", R"({"id":"s","projectID":"proj","title":"t","time":{"created":1}})");
  Write("p/message/s/m1.json", R"({"id":"m1","role":"user"})");
  Write("p/part/m1/p1.json", R"({"id":"p1","type":"text","text":"one"})");
  StartAt("p", "session/proj/s.json");
  Write("p/message/s/m2.json", R"({"id":"m2","role":"user"})");
  Write("p/part/m2/p2.json", R"({"id":"p2","type":"text","text":"two"})");
  WaitForPrompts("s", {"one", "two"});
  Write("p/part/m3/p3.json", R"({"id":"p3","type":"text","text":"three"})");
  Write("p/message/s/m3.json", R"({"id":"m3","role":"user"})");
  WaitForPrompts("s", {"one", "two", "three"});
  Stop();
  EXPECT_EQ(problems_, 0U);
}

TEST_P(FollowedPartsTest, AreFilesInFoldersThatAreMadeLaterOrAgain) {
  Write("p/session/proj/s.json", R"({"id":"s","projectID":"proj","title":"t","time":{"created":1}})");
  StartAt("p", "session/proj/s.json");
  const auto write = [this](const std::string& number, const std::string& text) {
    Write("p/message/s/m" + number + ".json", R"({"id":"m)" + number + R"(","role":"user"})");
    Write("p/part/m" + number + "/p.json", R"({"id":"p)" + number + R"(","type":"text","text":")" + text + "\"}");
  };
  write("1", "one");
  WaitForPrompts("s", {"one"});
  fs::remove_all(dir_ / "p/part");
  fs::remove_all(dir_ / "p/message");
  write("2", "two");
  WaitForPrompts("s", {"one", "two"});
  Stop();
}

TEST_F(FollowTest, FollowsAFolderThatIsMadeAgain) {
  const std::string text = ClaudeUser("1", R"("one")") + "\n";
  Write("p/" + kSession + ".jsonl", text);
  Start(dir_ / "p");
  fs::remove_all(dir_ / "p");
  Write("p/" + kSession + ".jsonl", text + ClaudeUser("2", R"("two")") + "\n");
  WaitForPrompts(kSession, {"one", "two"});
  Stop();
}

TEST_F(FollowTest, FollowsALinkThatIsNamed) {
  const fs::path path = Write("real/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  fs::create_directories(dir_ / "p");
  fs::create_symlink(path, dir_ / "p" / (kSession + ".jsonl"));
  Start(dir_ / "p" / (kSession + ".jsonl"));
  AppendTo(path, ClaudeUser("2", R"("two")") + "\n");
  WaitForPrompts(kSession, {"one", "two"});
  Stop();
  EXPECT_EQ(problems_, 0U);
}

// Its folder has others, too.
TEST_F(FollowTest, FollowsAFileThatIsNamedWithoutItsFolder) {
  const fs::path path = Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  Write("p/other.jsonl", ClaudeUser("3", R"("other")") + "\n");
  const fs::path before = fs::current_path();
  fs::current_path(path.parent_path());
  Start(path.filename());
  AppendTo(path, ClaudeUser("2", R"("two")") + "\n");
  WaitForPrompts(kSession, {"one", "two"});
  Stop();
  fs::current_path(before);
  EXPECT_THAT(All(), SizeIs(1));
}

// A session that was resumed in another file, whose name comes first.
TEST_F(FollowTest, TakesTheFirstOfTwoSessionsFirst) {
  const std::string copy = "0" + kSession.substr(1), first = "9" + kSession.substr(1);
  const auto prompt = [](const std::string& session, const std::string& text, const std::string& time) {
    std::string record = ClaudeUser(text + kSession.substr(1), "\"" + text + "\"");
    record.replace(record.find(kSession + "\",\"uuid"), kSession.size(), session);
    return record.replace(record.find("10:00:00"), 8, time) + "\n";
  };
  Write("p/" + first + ".jsonl", prompt(first, "a", "10:00:00") + prompt(first, "b", "10:00:01"));
  Write("p/" + copy + ".jsonl",
        prompt(copy, "a", "10:00:00") + prompt(copy, "b", "10:00:01") + prompt(copy, "c", "11:00:00"));
  Start(dir_ / "p");
  Stop();
  EXPECT_THAT(Prompts(first), ElementsAre("a", "b"));
  EXPECT_THAT(Prompts(copy), ElementsAre("c"));
}

// What is no file any more is a problem of that source alone.
TEST_F(FollowTest, GoesOnWhenAFileBecomesAFolder) {
  const fs::path path = Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  Start(dir_ / "p");
  fs::remove(path);
  fs::create_directories(path);
  Write("p/talk.jsonl", "{\"type\":\"turn_start\"}\n");
  WaitFor(3 + 1);
  fs::remove(path);
  Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n" + ClaudeUser("2", R"("two")") + "\n");
  WaitFor(3 + 1 + 3);
  Stop();
  EXPECT_THAT(Said(kSession), ElementsAre("one", "two"));
}

TEST(FolderWatch, SeesWhatMayBeReadNow) {
  const TempDir dir;
  fs::create_directories(dir / "a/b");
  std::ofstream(dir / "a/file") << "x";
  std::ofstream(dir / "a/b/file") << "x";
  const auto watch = Must(FolderWatch::Open());
  Must(watch->Add(dir / "a"));
  fs::permissions(dir / "a/file", fs::perms::owner_all);
  EXPECT_THAT(Must(watch->Wait(-1)).paths, ElementsAre(dir / "a/file"));
  fs::permissions(dir / "a/b", fs::perms::owner_all);
  EXPECT_THAT(Must(watch->Wait(-1)).paths, ElementsAre(dir / "a/b/file"));
}

TEST(FolderWatch, LeavesOutFoldersThatMayNotBeRead) {
  const TempDir dir;
  fs::create_directories(dir / "in/secret");
  fs::create_directories(dir / "in/open");
  for (const fs::path& open : {dir.path(), dir / "in", dir / "in/open"}) fs::permissions(open, fs::perms::all);
  fs::permissions(dir / "in/secret", fs::perms::none);
  const auto watch = Must(FolderWatch::Open());
  constexpr uid_t kNobody = 65534;
  const bool is_root = ::geteuid() == 0;  // who may read everything
  const auto become = [is_root](uid_t user) { return !is_root || ::seteuid(user) == 0; };
  ASSERT_TRUE(become(kNobody));
  const Status all = watch->Add(dir / "in"), secret = watch->Add(dir / "in/secret");
  ASSERT_TRUE(become(0));
  EXPECT_TRUE(all);
  EXPECT_FALSE(secret) << "it was named";
  std::ofstream(dir / "in/open/file") << "text";
  EXPECT_THAT(Must(watch->Wait(-1)).paths, ElementsAre(dir / "in/open/file"));
  fs::permissions(dir / "in/secret", fs::perms::all);
}

TEST_F(FollowTest, SaysOnceThatANewFileCannotBeRead) {
  fs::create_directories(dir_ / "p");
  Start(dir_ / "p");
  TestDatabase database(dir_ / "made.db");
  database.Run(
      "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, updated_at TIMESTAMP);"
      "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT);"
      "INSERT INTO agent_sessions VALUES ('s','now');"
      R"(INSERT INTO agent_messages VALUES (1,'s','{"role":"user","content":"hi"}');)"
      "BEGIN EXCLUSIVE;");
  fs::rename(dir_ / "made.db", dir_ / "p/held.db");
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return problems_ > 0; });
  lock.unlock();
  Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  WaitForPrompts(kSession, {"one"});
  EXPECT_EQ(problems_, 1U);
  database.Run("COMMIT;");
  Write("p/more.txt", "");
  WaitForPrompts("s", {"hi"});
  Stop();
  EXPECT_EQ(problems_, 1U);
}

// It is appended when nothing was written for a while, or before the end.
TEST_F(FollowTest, TakesALineThatStaysTorn) {
  const fs::path path = Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  Start(dir_ / "p");
  AppendTo(path, "{\"a\":");
  WaitFor(3 + 1);
  AppendTo(path, "1,");
  Stop();
  EXPECT_EQ(events_, 3U + 2U);
  const Event last = Events(kSession).back();
  EXPECT_THAT(ToJson(View(last)), HasSubstr(R"({\"a\":1,)"));
}

TEST_F(FollowTest, ReportsADocumentThatStaysTorn) {
  Start(Write("chat.json", R"([{"role":"user","content":"one"},{"ro)"), "openai");
  WaitFor(3);
  Stop();
  EXPECT_GT(problems_, 0U);
}

// A second after the last change that was noticed, it may be written again.
TEST_F(FollowTest, WaitsForWhatWasJustWritten) {
  const fs::path path = Write("chat.json", R"([{"role":"user","content":"one"},{"ro)");
  const auto written = fs::file_time_type::clock::now() + std::chrono::milliseconds(700);
  fs::last_write_time(path, written);
  Start(path, "openai");
  WaitFor(3);
  EXPECT_GE(fs::file_time_type::clock::now(), written + std::chrono::seconds(1));
  Stop();
}

// However long the line becomes, nothing of it is kept or read again before it is complete.
TEST_F(FollowTest, ReadsALongLineThatIsBeingWrittenOnce) {
  const fs::path path = Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  Start(dir_ / "p");
  const std::string line = ClaudeUser("2", "\"" + std::string(40'000'000, 'x') + "\"") + "\n";
  auto last = std::chrono::steady_clock::now();
  bool paused = false;
  for (std::size_t at = 0; at < line.size(); at += 1'000'000) {
    AppendTo(path, line.substr(at, 1'000'000));
    const auto now = std::chrono::steady_clock::now();
    paused |= now - std::exchange(last, now) > std::chrono::milliseconds(500);
  }
  WaitForPrompts(kSession, {"one", std::string(40'000'000, 'x')});
  Stop();
  if (paused) GTEST_SKIP() << "the machine stood still: what is not complete is kept after a second";
  EXPECT_EQ(problems_, 0U);
  EXPECT_THAT(Events(kSession), SizeIs(1 + 2 + 1 + 2)) << "each time with an import record";
}

// So it is if the session has further files, and all that was read counts.
TEST_F(FollowTest, ReadsALongLineOfASessionWithMoreFilesOnce) {
  constexpr std::size_t kPiece = 200'000, kLine = 100 * kPiece;
  const fs::path path = Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  Write("p/" + kSession + "/tool-results/x.txt", "a result");
  Start(dir_ / "p");
  const auto begin = std::chrono::steady_clock::now();
  const std::string text(kLine, 'x');
  const std::string line = ClaudeUser("2", "\"" + text + "\"") + "\n";
  for (std::size_t at = 0; at < line.size(); at += kPiece) {
    AppendTo(path, line.substr(at, kPiece));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // so that it is looked at
  }
  WaitForPrompts(kSession, {"one", text});
  Stop();
  const auto pauses = (std::chrono::steady_clock::now() - begin) / std::chrono::seconds(1);  // at most; each reads it
  EXPECT_GE(bytes_read_, 2 * kLine) << "to see that it goes on, and to take it";
  EXPECT_LT(bytes_read_, (4 + static_cast<std::size_t>(pauses)) * kLine);
}

TEST_F(FollowTest, CountsWhatWasReadToRecogniseANewFile) {
  const auto session = [](const std::string& id) {
    std::string text = ClaudeUser("1", R"("one")") + "\n";
    return text.replace(text.find(kSession), id.size(), id);
  };
  const fs::path made = Write("made/" + kSession + ".jsonl", session(kSession));
  fs::create_directories(dir_ / "p");
  Start(dir_ / "p");
  fs::rename(made, dir_ / "p" / made.filename());
  WaitFor(3);
  Stop();
  const std::string other = "9" + kSession.substr(1);
  const fs::path alike = Write("other/" + other + ".jsonl", session(other));
  EXPECT_EQ(bytes_read_, Must(Import(*log_, "auto", {&alike, 1})).bytes_read);
}

// Whatever else is written.
TEST_F(FollowTest, TakesALineThatStaysTornWhileAnotherSourceGrows) {
  const std::string other = "9" + kSession.substr(1);
  Write("p/" + kSession + ".jsonl", ClaudeUser("1", R"("one")") + "\n");
  const auto record = [&](int number) {
    std::string text = ClaudeUser(std::to_string(number), R"("other")") + "\n";
    for (std::size_t at = 0; (at = text.find(kSession, at)) != std::string::npos;)
      text.replace(at, other.size(), other);
    return text;
  };
  const fs::path growing = Write("p/" + other + ".jsonl", record(1));
  Start(dir_ / "p");
  AppendTo(dir_ / "p" / (kSession + ".jsonl"), "{\"a\":");
  for (int number = 2; Last(kSession) < Seq{4}; ++number) {
    AppendTo(growing, record(number));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  Stop();
  EXPECT_EQ(problems_, 0U);
}

}  // namespace
}  // namespace turnlog::follow_test
