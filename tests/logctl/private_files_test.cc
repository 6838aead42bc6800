// Whatever a command creates is its user's alone, whatever the umask says, and also in a folder that others may read.
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/logctl/logctl_test.h"

namespace turnlog::private_files_test {
namespace {

namespace fs = std::filesystem;

class PrivateFilesTest : public LogctlTest {
 protected:
  PrivateFilesTest() : umask_(::umask(0022)) {
    fs::create_directories(folder_ / "source/conversations/17-a");
    WriteFile("source/conversations/17-a/events.json",
              R"([{"type": "turn_start"}, {"type": "chat_request", "content": "a"}])");
    WriteFile("source/conversations/17-a/metadata.json", "{}");
    WriteFile("source/conversations/17-a/notes.md", "notes");
    WriteFile("talk.jsonl", SampleLines());
  }
  ~PrivateFilesTest() override { ::umask(umask_); }

  // A folder that was there before, and that others may read.
  std::string Open(const std::string& name) {
    const fs::path folder = folder_ / name;
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms{0755});
    return folder.string();
  }
  std::string In(const std::string& name) const { return (folder_ / name).string(); }

  // Runs it. REQUIRES: it succeeds.
  void Do(const Strings& words, const std::string& input = {}) {
    const Ran ran = Logctl(words, input);
    EXPECT_EQ(ran.exit_code, 0) << testing::PrintToString(words) << ran.out << ran.err;
  }
  // What is in the folder is private, and there is at least so much of it.
  void ExpectPrivate(const std::string& name, std::size_t least) {
    constexpr fs::perms kFolder = fs::perms::owner_all, kFile = fs::perms::owner_read | fs::perms::owner_write;
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / name)) {
      EXPECT_EQ(entry.status().permissions(), entry.is_directory() ? kFolder : kFile) << entry.path();
      ++count;
    }
    EXPECT_GE(count, least) << name;
  }

  const mode_t umask_;
};

TEST_F(PrivateFilesTest, OfAStoreThroughAllThatChangesIt) {
  Open("store");
  Do({"append", "sample"}, SampleLines());
  ExpectPrivate("store", 6);
  const std::vector<std::pair<Strings, std::string>> changes{
      {{"import", "jp", In("source")}, {}},
      {{"sanitize"}, {}},
      {{"scavenge"}, {}},
      {{"redact", "--values-stdin"}, "it is old\n"},
      {{"store", "set", "--compression", "small"}, {}},
      {{"append", "sample"}, SampleLines()},
      {{"answer", "sample", "--value", "yes"}, {}},
      {{"reindex"}, {}},
      {{"token", "add", "phone", "--right", "answer"}, {}},
      {{"backup", In("backup")}, {}},
      {{"verify"}, {}},
  };
  for (const auto& [words, input] : changes) {
    SCOPED_TRACE(testing::PrintToString(words));
    (void)Logctl(words, input);
    ExpectPrivate("store", 6);
  }
  fs::remove_all(In("store/index"));
  Do({"ls"});
  Do({"append", "sample"}, SampleLines());
  ExpectPrivate("store", 6);
}

TEST_F(PrivateFilesTest, OfAServiceWhileItRuns) {
  Open("store");
  AppendSample();
  Open("logs");
  Running service({"serve", "--store", store(), "--log", In("logs/log")}, In("errors"));
  EXPECT_THAT(service.ReadLine(), testing::HasSubstr("serving at"));
  Do({"append", "sample"}, SampleLines());
  ExpectPrivate("store", 7);
  ExpectPrivate("logs", 1);
}

TEST_F(PrivateFilesTest, OfABackupACopyAndARestoredStore) {
  AppendSample();
  Do({"import", "jp", In("source")});
  Do({"backup", Open("backup")});
  ExpectPrivate("backup", 3);
  Do({"append", "sample"}, SampleLines());
  Do({"backup", In("backup")});
  ExpectPrivate("backup", 3);
  Do({"restore", In("backup"), Open("restored")});
  ExpectPrivate("restored", 6);
  Do({"store", "copy", store(), Open("copy")});
  ExpectPrivate("copy", 6);
  Do({"store", "init", Open("new")});
  ExpectPrivate("new", 4);
}

TEST_F(PrivateFilesTest, OfExportsOfEveryFormat) {
  AppendSample();
  Do({"import", "jp", In("source")});
  for (const std::string format : {"jp", "claude-code", "opencode", "markdown", "html", "handoff"}) {
    SCOPED_TRACE(format);
    Do({"export", "17", "--format", format, "--to", Open(format)});
    ExpectPrivate(format, 1);
    Do({"export", "17", "--format", format, "--to", In("new-" + format + "/deep")});
    ExpectPrivate("new-" + format, 2);
    EXPECT_EQ(fs::status(folder_ / ("new-" + format)).permissions(), fs::perms::owner_all);
  }
  const std::string home = Open("home");
  Do({"resume", "17", "--in", "claude-code", "--home", home, "--cwd", home});
  ExpectPrivate("home", 3);
}

}  // namespace
}  // namespace turnlog::private_files_test
