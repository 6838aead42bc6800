// What every command has in common: help, options, wrong words, missing stores.
#include <filesystem>

#include "tests/logctl/logctl_test.h"

namespace turnlog::usage_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kHello = R"({"type":"chat_request","content":"hello"})";

class UsageTest : public LogctlTest {
 protected:
  // The names that `logctl --help` lists.
  static Strings CommandsInHelp() {
    Strings names;
    bool listed = false;
    for (const std::string& line : Lines(RunProgram({"--help"}).out)) {
      if (listed && line.empty()) break;
      if (listed) names.push_back(line.substr(2, line.find(' ', 2) - 2));
      listed = listed || line == "Commands:";
    }
    return names;
  }
};

TEST_F(UsageTest, HelpListsTheCommandsAndEachHasHelpWithAnExample) {
  const Strings names = CommandsInHelp();
  EXPECT_THAT(names, testing::ElementsAre("import", "export", "append", "ls", "show", "cat", "search", "get", "pending",
                                          "answer", "cancel", "state", "denials", "tail", "sanitize", "repairs",
                                          "scavenge", "redact", "scan", "verify", "reindex", "backup", "restore",
                                          "stats", "completion", "manual"));
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

TEST_F(UsageTest, WrongWordsEndWithTwoAndAHint) {
  const auto fails = [](const Strings& words, const std::string& message, const std::string& hint) {
    const Ran ran = RunProgram(words, {}, {"TURNLOG_STORE=/nowhere"});
    EXPECT_THAT(ran, FailsWith(2, message));
    EXPECT_THAT(ran.err, HasSubstr("\n  hint: " + hint));
    EXPECT_THAT(Lines(ran.err), SizeIs(2));
  };
  fails({}, "which command?", "see `logctl --help`");
  fails({"sho", "x"}, "there is no command \"sho\"", "did you mean show?");
  fails({"frobnicate"}, "there is no command \"frobnicate\"", "`logctl --help` lists them");
  fails({"--frobnicate"}, "there is no option --frobnicate", "see `logctl --help`");
  fails({"ls", "--frobnicate"}, "--frobnicate", "see `logctl ls --help`");
  fails({"ls", "word"}, "word", "see `logctl ls --help`");
  fails({"show"}, "CONV is required", "see `logctl show --help`");
  fails({"show", "c", "--turn", "two"}, "\"two\" is not a number", "see `logctl show --help`");
  fails({"show", "c", "--turn", "-1"}, "\"-1\" is not a number", "see `logctl show --help`");
  fails({"show", "c", "--turn", "010"}, "\"010\" is not a number", "see `logctl show --help`");
  fails({"show", "c", "--turn", "18446744073709551616"}, "is not a number", "see `logctl show --help`");
  fails({"show", "c", "--turn", "1", "--from", "2"}, " excludes ", "see `logctl show --help`");
  fails({"ls", "--color", "mauve"}, "mauve", "see `logctl ls --help`");
  fails({"append", "c", "--durability", "maybe"}, "maybe", "see `logctl append --help`");
}

TEST_F(UsageTest, AsksForTheStoreWhenNobodyNamesOne) {
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
    EXPECT_THAT(RunProgram(words, kHello), FailsWith(2, "which store?")) << words.front();
  }
}

TEST_F(UsageTest, ReadingFailsWithoutAStoreAndMakesNone) {
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
    EXPECT_THAT(Logctl(words), FailsWith(1, "there is no store at " + store())) << words.front();
    EXPECT_FALSE(std::filesystem::exists(store())) << words.front();
  }
}

TEST_F(UsageTest, DoesNotTakeJustAnyFolderForAStore) {
  std::filesystem::create_directories(folder_ / "photos");
  WriteFile("photos/a.jpg", "x");
  const std::string photos = (folder_ / "photos").string();
  EXPECT_THAT(Logctl({"ls", "--store", photos}), FailsWith(1, "no store"));
  EXPECT_EQ(Logctl({"append", "c", "--store", photos}, kHello).exit_code, 1);
  EXPECT_EQ(ReadFile("photos/a.jpg"), "x");
}

TEST_F(UsageTest, OptionsOfAllCommandsMayStandInFrontOrBehind) {
  Append("c", kHello);
  const std::string expected = Output({"ls", "--json"});
  EXPECT_EQ(RunProgram({"--store", store(), "--json", "ls"}).out, expected);
  EXPECT_EQ(RunProgram({"ls", "--json", "--store=" + store()}).out, expected);
}

TEST_F(UsageTest, SuggestsConversationsThatMayHaveBeenMeant) {
  Append("conversation-1", kHello);
  Append("conversation-2", kHello);
  Append("zebra", kHello);
  EXPECT_THAT(Logctl({"show", "conversation"}).err, HasSubstr("did you mean conversation-1 or conversation-2?"));
  EXPECT_THAT(Logctl({"cat", "zebar"}).err, HasSubstr("did you mean zebra?"));
  for (const Strings& words : {Strings{"show", "unlike"},
                               {"cat", "unlike"},
                               {"get", "unlike", "i"},
                               {"pending", "unlike"},
                               {"export", "unlike", "--format", "jsonl"},
                               {"sanitize", "unlike", "--dry-run"}}) {
    const Ran ran = Logctl(words);
    EXPECT_THAT(ran, FailsWith(1, "there is no conversation \"unlike\"")) << words.front();
    EXPECT_THAT(ran.err, HasSubstr("`logctl ls` lists them all"));
  }
}

TEST_F(UsageTest, MessagesAreColouredOnlyWhenAskedTo) {
  EXPECT_THAT(Logctl({"ls"}).err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(Logctl({"ls", "--color", "always"}).err, HasSubstr("\x1b[31mthere is no store"));
}

}  // namespace
}  // namespace turnlog::usage_test
