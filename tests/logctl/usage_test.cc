// What all commands share: help, options, wrong usage, missing stores.
#include <filesystem>

#include "tests/logctl/logctl_test.h"

namespace turnlog::usage_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kHello = R"({"type":"chat_request","content":"hello"})";

class UsageTest : public LogctlTest {
 protected:
  // The commands that `logctl --help` lists, in groups.
  static Strings CommandsInHelp() {
    Strings names;
    for (const std::string& line : Lines(RunProgram({"--help"}).out)) {
      if (line == "Examples:") break;
      const bool is_row = line.starts_with("  ") && !line.starts_with("  -") && line[2] != ' ';
      if (is_row) names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
  }
};

TEST_F(UsageTest, HelpListsTheCommandsAndEachHasHelpWithAnExample) {
  const Strings names = CommandsInHelp();
  EXPECT_THAT(names,
              ElementsAre("import", "export", "resume", "append", "ls", "show", "cat", "search", "tail", "usage",
                          "provenance", "pending", "answer", "cancel", "get", "state", "denials", "sanitize", "repairs",
                          "scavenge", "doctor", "lint", "explain", "redact", "scan", "serve", "token", "hook", "mcp",
                          "store", "stats", "verify", "reindex", "backup", "restore", "completion", "manual"));
  for (const std::string& name : names) {
    const Ran ran = RunProgram({name, "--help"});
    EXPECT_EQ(ran.exit_code, 0) << name;
    EXPECT_EQ(ran.err, "") << name;
    EXPECT_THAT(ran.out,
                AllOf(HasSubstr("Usage: logctl " + name), HasSubstr("\nExample:\n  "), HasSubstr("logctl " + name)));
  }
}

TEST_F(UsageTest, SaysItsVersion) {
  const Ran ran = RunProgram({"--version"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "logctl " TURNLOG_VERSION "\n");
}

TEST_F(UsageTest, WrongUsageExitsWithTwoAndGivesAHint) {
  const auto fails = [](const Strings& words, const std::string& hint) {
    const Ran ran = RunProgram(words, {}, {"TURNLOG_STORE=/nowhere"});
    EXPECT_THAT(ran, FailsWith(2, "\n  hint: "));
    EXPECT_THAT(Lines(ran.err), ElementsAre(StartsWith("logctl: "), HasSubstr(hint)));
  };
  fails({}, "`logctl --help`");
  fails({"sho", "x"}, " show?");
  fails({"stas"}, " stats?");
  fails({"frobnicate"}, "`logctl --help`");
  fails({"--frobnicate"}, "`logctl --help`");
  fails({"--jsom", "ls"}, " --json?");
  fails({"ls", "--frobnicate"}, "`logctl ls --help`");
  fails({"ls", "--sotr", "time"}, " --sort?");
  fails({"--limit", "1", "ls"}, "logctl ls --limit");
  fails({"ls", "--limt=3"}, " --limit?");
  fails({"ls", "--sort"}, "`logctl ls --help`");
  fails({"ls", "word"}, "`logctl ls --help`");
  fails({"show"}, "`logctl show --help`");
  for (const char* turn : {"two", "-1", "010", "18446744073709551616"}) {
    fails({"show", "c", "--turn", turn}, "`logctl show --help`");
  }
  fails({"show", "c", "--turn", "1", "--from", "2"}, "`logctl show --help`");
  fails({"ls", "--color", "mauve"}, "`logctl ls --help`");
  fails({"append", "c", "--durability", "maybe"}, "`logctl append --help`");
}

TEST_F(UsageTest, NoStoreIsWrongUsage) {
  for (const Strings& words : {Strings{"ls"},
                               {"show", "c"},
                               {"cat", "c"},
                               {"get", "c", "i"},
                               {"pending"},
                               {"tail"},
                               {"append", "c"},
                               {"import", "jsonl", "x"},
                               {"export", "c", "--format", "jsonl"},
                               {"verify"},
                               {"reindex"},
                               {"stats"},
                               {"sanitize", "--dry-run"}}) {
    EXPECT_THAT(RunProgram(words, kHello), Fails(2)) << words.front();
  }
}

TEST_F(UsageTest, ReadingFailsWithoutAStoreAndCreatesNone) {
  for (const Strings& words : {Strings{"ls"},
                               {"show", "c"},
                               {"cat", "c"},
                               {"get", "c", "i"},
                               {"pending"},
                               {"tail"},
                               {"export", "c", "--format", "jsonl"},
                               {"verify"},
                               {"reindex"},
                               {"stats"},
                               {"sanitize", "--dry-run"}}) {
    EXPECT_THAT(Logctl(words), Fails(1)) << words.front();
    EXPECT_FALSE(std::filesystem::exists(store())) << words.front();
  }
}

TEST_F(UsageTest, DoesNotTakeAnyFolderForAStore) {
  std::filesystem::create_directories(folder_ / "photos");
  WriteFile("photos/a.jpg", "x");
  const std::string photos = (folder_ / "photos").string();
  EXPECT_THAT(Logctl({"ls", "--store", photos}), Fails(1));
  EXPECT_EQ(Logctl({"append", "c", "--store", photos}, kHello).exit_code, 1);
  EXPECT_EQ(ReadFile("photos/a.jpg"), "x");
}

TEST_F(UsageTest, GlobalOptionsMayComeBeforeOrAfterTheCommand) {
  Append("c", kHello);
  const std::string expected = Output({"ls", "--json"});
  EXPECT_EQ(RunProgram({"--store", store(), "--json", "ls"}).out, expected);
  EXPECT_EQ(RunProgram({"ls", "--json", "--store=" + store()}).out, expected);
}

TEST_F(UsageTest, SuggestsSimilarConversations) {
  Append("conversation-1", kHello);
  Append("conversation-2", kHello);
  Append("zebra", kHello);
  EXPECT_THAT(Logctl({"show", "conversation"}).err, HasSubstr("conversation-1 or conversation-2?"));
  EXPECT_THAT(Logctl({"cat", "zebar"}).err, HasSubstr(" zebra?"));
  for (const Strings& words : {Strings{"show", "unlike"},
                               {"cat", "unlike"},
                               {"get", "unlike", "i"},
                               {"pending", "unlike"},
                               {"export", "unlike", "--format", "jsonl"},
                               {"sanitize", "unlike", "--dry-run"}}) {
    const Ran ran = Logctl(words);
    EXPECT_THAT(ran, Fails(1)) << words.front();
    EXPECT_THAT(ran.err, HasSubstr("`logctl ls`"));
  }
}

TEST_F(UsageTest, MessagesAreColouredOnlyWhenAskedTo) {
  EXPECT_THAT(Logctl({"ls"}).err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(Logctl({"ls", "--color", "always"}).err, HasSubstr("\x1b[31m"));
}

}  // namespace
}  // namespace turnlog::usage_test
