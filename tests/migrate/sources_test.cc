// Which sources are read: files, folders, pipes, links.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <system_error>
#include <thread>

#include "migrate/sources/find_sources.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/is_problem.h"

namespace turnlog::sources_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kTurn = "{\"type\":\"turn_start\"}\n";

class SourcesTest : public ImportTest {
 protected:
  std::filesystem::path MakeFifo(const std::filesystem::path& name) {
    const std::filesystem::path path = dir_ / name;
    std::filesystem::create_directories(path.parent_path());
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return path;
  }
};

TEST_F(SourcesTest, ReadsAPipeThatIsNamedToItsEnd) {
  const auto fifo = MakeFifo("talk.jsonl");
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += kTurn;  // more than a pipe holds
  std::thread writer([&] {
    const int fd = ::open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    ::close(fd);
  });
  const ImportReport report = Jsonl({fifo});
  writer.join();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.events, 20'000);
  EXPECT_EQ(Last("talk"), Seq{20'000});
}

TEST_F(SourcesTest, FindsOutByTheLinesWhatAPipeHas) {
  const std::string record = R"({"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"hi"}})"
                             "\n";
  const auto fifo = MakeFifo("pipe");
  std::thread writer([&] {
    const int fd = ::open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(::write(fd, record.data(), record.size()), static_cast<ssize_t>(record.size()));
    ::close(fd);
  });
  const ImportReport report = Auto({fifo});
  writer.join();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.added, 1);
}

TEST_F(SourcesTest, ADeviceWithoutAnEndIsAProblem) {
  const ImportReport report = Jsonl({"/dev/zero"});
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems.front().code, ImportProblemCode::kMalformed);
  EXPECT_THAT(Jsonl({"/dev/null"}).problems, IsEmpty());
}

// Whatever waited for one would wait for ever.
TEST_F(SourcesTest, APipeThatNoProgramWritesToIsAProblem) {
  const ImportReport report = Jsonl({MakeFifo("talk.jsonl")});
  EXPECT_EQ(report.failed, 1);
}

// Its reported size is 0.
TEST_F(SourcesTest, ReadsAFileWhoseSizeIsNotKnown) {
  const ImportReport report = Jsonl({"/proc/version"});
  EXPECT_EQ(report.failed, 1);
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kMalformed) << "it has been read, and is no JSON";
}

TEST_F(SourcesTest, FindsAllJsonLinesBelowAFolder) {
  Write("in/a.jsonl", kTurn);
  Write("in/deep/er/b.jsonl", kTurn);
  Write("in/notes.txt", "text");
  Write("in/.hidden/c.jsonl", kTurn);
  const ImportReport report = Jsonl({dir_ / "in"});
  EXPECT_EQ(report.added, 2);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(Last("a"), Seq{1});
  EXPECT_EQ(Last("b"), Seq{1});
}

TEST_F(SourcesTest, AreSoughtInSomeFoldersOnly) {
  for (const char* const name : {"in/a.jsonl", "in/x/b.jsonl", "in/x/y/c.jsonl", "in/z/d.jsonl"}) Write(name, kTurn);
  const std::vector<std::filesystem::path> folder{dir_ / "in"};
  const auto enter = [&](const std::filesystem::path& path) { return path == dir_ / "in/x"; };
  const FoundSources found = FindSources(folder, nullptr, {.enter_folder = enter});
  ASSERT_THAT(found.sources, SizeIs(2));
  EXPECT_EQ(found.sources[0].path, dir_ / "in/a.jsonl");
  EXPECT_EQ(found.sources[1].path, dir_ / "in/x/b.jsonl");
  EXPECT_EQ(found.report.bytes_read, 2 * kTurn.size()) << "nothing else is looked at";
}

TEST_F(SourcesTest, SaysThatAFolderHasNothingForIt) {
  Write("in/notes.txt", "text");
  const ImportReport report = Jsonl({dir_ / "in"});
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].file, (dir_ / "in").string());
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kUnknownFormat);
}

// As long as it is there, the system gives this process no more threads: root has no limit, so it is another user then.
class WithoutThreads {
 public:
  WithoutThreads() {
    EXPECT_EQ(::getrlimit(RLIMIT_NPROC, &limit_), 0);
    const rlimit none{0, limit_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NPROC, &none), 0);
    constexpr uid_t kNobody = 65534;
    EXPECT_TRUE(!is_root_ || ::setresuid(kNobody, kNobody, 0) == 0);
  }
  ~WithoutThreads() {
    EXPECT_TRUE(!is_root_ || ::setresuid(0, 0, 0) == 0);
    EXPECT_EQ(::setrlimit(RLIMIT_NPROC, &limit_), 0);
  }
  WithoutThreads(const WithoutThreads&) = delete;
  WithoutThreads& operator=(const WithoutThreads&) = delete;

 private:
  rlimit limit_{};
  const bool is_root_ = ::geteuid() == 0;
};

TEST_F(SourcesTest, AreImportedWithoutFurtherThreads) {
  const std::vector<std::filesystem::path> paths{Write("a.jsonl", kTurn), Write("b.jsonl", kTurn)};
  for (const std::filesystem::path& root : {dir_.path(), store_.dir.path()}) {
    std::filesystem::permissions(root, std::filesystem::perms::all);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      std::filesystem::permissions(entry, std::filesystem::perms::all);
    }
  }
  std::optional<WithoutThreads> without(std::in_place);
  bool has_more = true;
  try {
    std::jthread([] {});
  } catch (const std::system_error&) {
    has_more = false;
  }
  if (has_more) GTEST_SKIP() << "the system does not keep the limit";
  const auto report = Import(*log_, "jsonl", paths, {.threads = 2});
  without.reset();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->added, 2U);
}

// What cannot be a source is not read, and not missed.
TEST_F(SourcesTest, NamesHiddenFoldersThatItMayHaveBeenMeantFor) {
  WriteJp("17", "[]\n", "project/.jp/conversations");
  Write("project/src/.cache/x", "");
  const ImportReport report = Jp({dir_ / "project"});
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].reason,
            "contains nothing of the format jp; hidden folders (.jp) are searched if named as PATHs");
}

TEST_F(SourcesTest, NamesAFileInAFolderThatCannotBeRead) {
  namespace fs = std::filesystem;
  const fs::path file = Write("in/a.jsonl", kTurn), other = Write("in/notes.txt", "text");
  const fs::path database = Write("in/c.db", "");
  constexpr fs::perms kAll = fs::perms::all;
  for (const fs::path& open : {dir_.path(), dir_ / "in", Write("in/b.jsonl", kTurn)}) fs::permissions(open, kAll);
  for (const fs::path& hidden : {file, other, database}) fs::permissions(hidden, fs::perms::none);
  const std::vector<fs::path> folder{dir_ / "in"};
  constexpr uid_t kNobody = 65534;
  const bool is_root = ::geteuid() == 0;  // who may read everything
  const auto become = [is_root](uid_t user) { return !is_root || ::seteuid(user) == 0; };
  ASSERT_TRUE(become(kNobody));
  const FoundSources found = FindSources(folder, nullptr), sessions = FindSources(folder, FindFormat("claude-code"));
  ASSERT_TRUE(become(0));
  EXPECT_THAT(sessions.report.problems, ElementsAre(IsProblem(file, ImportProblemCode::kUnreadable))) << "no databases";
  EXPECT_THAT(found.sources, SizeIs(1));
  EXPECT_THAT(found.report.problems, ElementsAre(IsProblem(file, ImportProblemCode::kUnreadable),
                                                 IsProblem(database, ImportProblemCode::kUnreadable)));
  EXPECT_EQ(found.report.failed, 2U);
  EXPECT_EQ(found.report.problems.front().reason, "cannot open: Permission denied") << "the problem names the file";
}

TEST_F(SourcesTest, CountsAFolderThatCannotBeListed) {
  namespace fs = std::filesystem;
  Write("in/a.jsonl", kTurn);
  const fs::path hidden = Write("in/sub/b.jsonl", kTurn).parent_path();
  for (const fs::path& open : {dir_.path(), dir_ / "in", dir_ / "in/a.jsonl"}) {
    fs::permissions(open, fs::perms::all);
  }
  fs::permissions(hidden, fs::perms::none);
  const std::vector<fs::path> folder{dir_ / "in"};
  constexpr uid_t kNobody = 65534;
  const bool is_root = ::geteuid() == 0;  // who may list everything
  ASSERT_TRUE(!is_root || ::seteuid(kNobody) == 0);
  const FoundSources found = FindSources(folder, nullptr);
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
  fs::permissions(hidden, fs::perms::all);
  EXPECT_THAT(found.sources, SizeIs(1));
  EXPECT_THAT(found.report.problems, ElementsAre(IsProblem(hidden, ImportProblemCode::kUnreadable)));
  EXPECT_EQ(found.report.failed, 1U);
}

// Its name does not matter: what is locked is a database.
TEST_F(SourcesTest, NamesADatabaseInAFolderThatIsLocked) {
  Write("in/a.jsonl", kTurn);
  TestDatabase database(dir_ / "in/state");
  database.Run("CREATE TABLE t (a); BEGIN EXCLUSIVE");
  const std::vector<std::filesystem::path> folder{dir_ / "in"};
  const FoundSources found = FindSources(folder, nullptr);
  EXPECT_THAT(found.sources, SizeIs(1));
  EXPECT_THAT(found.report.problems, ElementsAre(IsProblem(dir_ / "in/state", ImportProblemCode::kBusy)));
  EXPECT_EQ(found.report.failed, 1U);
}

// A pipe without a writer would block for ever.
TEST_F(SourcesTest, SkipsPipesAndLinksInFolders) {
  Write("in/a.jsonl", kTurn);
  MakeFifo("in/pipe.jsonl");
  std::filesystem::create_symlink(Write("outside.jsonl", kTurn), dir_ / "in/link.jsonl");
  Write("elsewhere/b.jsonl", kTurn);
  std::filesystem::create_directory_symlink(dir_ / "elsewhere", dir_ / "in/folder");
  std::filesystem::create_symlink("nowhere.jsonl", dir_ / "in/lost.jsonl");
  std::filesystem::create_symlink("nowhere", dir_ / "in/other");
  const ImportReport report = Jsonl({dir_ / "in"});
  EXPECT_EQ(report.added, 1);
  EXPECT_THAT(report.problems, IsEmpty());
  std::vector<std::string> notes;
  for (const ImportProblem& note : report.notes) notes.push_back(ToString(note));
  const std::string in = (dir_ / "in").string();
  EXPECT_THAT(notes, ElementsAre(in + "/link.jsonl: not a regular file: skipped",
                                 in + "/lost.jsonl: a symbolic link to a file that is not there: skipped",
                                 in + "/pipe.jsonl: not a regular file: skipped",
                                 in + ": a symbolic link to a folder (folder): not followed; name it as a PATH"));
}

TEST_F(SourcesTest, FollowsALinkThatIsNamed) {
  Write("real.jsonl", kTurn);
  std::filesystem::create_symlink(dir_ / "real.jsonl", dir_ / "link.jsonl");
  EXPECT_EQ(Jsonl({dir_ / "link.jsonl"}).added, 1);
  EXPECT_EQ(Last("link"), Seq{1});
}

TEST_F(SourcesTest, FollowsNoLinkOutOfAConversationOfJp) {
  const auto place = WriteJp("17", "[\n  {\"type\": \"turn_start\"}\n]\n");
  std::filesystem::create_symlink(Write("secret", "not of this folder"), place / "notes.md");
  const auto linked = WriteJp("18", "[]\n");
  std::filesystem::remove(linked / "events.json");
  std::filesystem::create_symlink(place / "events.json", linked / "events.json");
  std::filesystem::create_directory_symlink(place, dir_ / "jp/conversations/19");
  const ImportReport report = Jp();
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.failed, 1);
  ASSERT_THAT(report.notes, SizeIs(3));
  EXPECT_THAT(report.notes[0].reason, HasSubstr("(19): not followed"));
  EXPECT_THAT(report.notes[1].file, HasSubstr("17/notes.md"));
  EXPECT_THAT(report.notes[2].file, HasSubstr("18/events.json"));
  EXPECT_EQ(Last("19"), Seq{0});
  ASSERT_TRUE(log_->Checkpoint());
  for (const auto& [name, bytes] : ReadTree(store_.dir / "store")) {
    EXPECT_FALSE(bytes.contains("not of this folder")) << name;
  }
}

TEST_F(SourcesTest, FollowsNoLinkToAnArchiveOfJp) {
  WriteJp("17", "[\n  {\"type\": \"turn_start\"}\n]\n");
  WriteJp("18", "[\n  {\"type\": \"turn_start\"}\n]\n", "elsewhere");
  std::filesystem::create_directory_symlink(dir_ / "elsewhere", dir_ / "jp/conversations/.archive");
  for (const ImportReport& report : {Jp(), Auto({dir_ / "jp"})}) {
    EXPECT_EQ(report.failed, 0U);
    EXPECT_EQ(Last("18"), Seq{0});
  }
  EXPECT_EQ(Last("17"), Seq{2});
  std::filesystem::remove(dir_ / "jp/conversations/.archive");
  std::filesystem::rename(dir_ / "elsewhere", dir_ / "jp/conversations/.archive");
  EXPECT_EQ(Jp().added, 1U) << "it is one if it is no link";
}

TEST_F(SourcesTest, TakesWhatIsNamedTwiceOnce) {
  const auto talk = Write("all/talk.jsonl", kTurn);
  const ImportReport first = Auto({talk, dir_ / "all", dir_ / "all" / "." / "talk.jsonl", dir_ / "no", dir_ / "no"});
  EXPECT_EQ(first.added, 1U);
  EXPECT_EQ(first.unchanged, 0U);
  EXPECT_THAT(first.problems, ElementsAre(IsProblem(dir_ / "no", ImportProblemCode::kNotFound)));
  const ImportReport again = Auto({dir_ / "all", talk, dir_ / "all"});
  EXPECT_EQ(again.unchanged, 1U);
  EXPECT_THAT(again.problems, IsEmpty());
}

TEST_F(SourcesTest, RefusesAFormatThatIsNone) {
  const auto report = Import(*log_, "xml", std::vector{dir_ / "x"});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(SourcesTest, AccountsForEveryByte) {
  WriteJp("17000000001-a",
          R"([{"timestamp":"2026-01-01 00:00:00.0","type":"turn_start"}, {"type":"later"}, {"type":"chat_request"} ])");
  const ImportReport jp = Jp();
  ASSERT_EQ(jp.bytes.size(), 1);
  EXPECT_EQ(jp.bytes[0].unreadable, std::string_view(R"(, {"type":"chat_request"})").size());
  EXPECT_EQ(jp.bytes[0].imported,
            std::string_view(R"([{"timestamp":"2026-01-01 00:00:00.0","type":"turn_start"})").size());
  EXPECT_EQ(jp.bytes[0].imported + jp.bytes[0].kept_raw + jp.bytes[0].unreadable, jp.bytes[0].size);

  const std::string good =
      "{\"conversation\":\"a\",\"type\":\"turn_start\"}\n \n{\"type\":\"later\",\"conversation\":\"a\"}";
  const std::string bad = "\n{\"conversation\":\"b\",\"type\":\"chat_request\"}\n";
  const ImportReport jsonl = Jsonl({Write("talk.jsonl", good + bad)});
  ASSERT_EQ(jsonl.bytes.size(), 1);
  EXPECT_EQ(jsonl.bytes[0].imported, good.size() + 1) << "with the line break";
  EXPECT_EQ(jsonl.bytes[0].kept_raw, 0);
  EXPECT_EQ(jsonl.bytes[0].unreadable, bad.size() - 1);
}

TEST(Formats, AreRegisteredWithAllThatTheHelpNeeds) {
  std::vector<std::string> names;
  for (const FormatInfo& format : Formats()) {
    names.emplace_back(format.name);
    EXPECT_FALSE(format.description.empty());
    EXPECT_TRUE(format.imports || format.exports_to_stream || format.exports_to_folder);
  }
  EXPECT_THAT(names, ElementsAre("jp", "claude-code", "codex", "gemini", "gemini-cli", "opencode", "anthropic",
                                 "openai", "openai-agents", "langgraph", "ui-messages", "model-messages", "jsonl",
                                 "openai-chat", "openai-responses"));
}

}  // namespace
}  // namespace turnlog::sources_test
