// The completions and the manual page know every command and option, and bash completes with them.
#include <algorithm>

#include "tests/logctl/logctl_test.h"

namespace turnlog::completion_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::MatchesRegex;

// Names in front of descriptions: lines of the help that begin with two spaces.
Strings NamesIn(const std::string& help, const std::string& section) {
  Strings names;
  bool inside = false;
  for (const std::string& line : Lines(help)) {
    if (inside && line.empty()) break;
    if (inside && line.starts_with("  ") && line[2] != ' ') {
      std::string words = line.substr(2, line.find("  ", 2) - 2);
      for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end = std::min(words.find_first_of(", ", begin), words.size());
        const std::string word = words.substr(begin, end - begin);
        if (word.starts_with('-')) names.push_back(word);
        begin = end + 1;
      }
    }
    inside = inside || line == section;
  }
  return names;
}

// "  name   what it does", in any group.
Strings CommandsIn(const std::string& help) {
  Strings names;
  for (const std::string& line : Lines(help)) {
    if (line == "Examples:") break;
    const bool is_row = line.starts_with("  ") && line[2] >= 'a' && line[2] <= 'z';
    if (is_row) names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

std::string WithoutHyphenEscapes(std::string text) {
  for (std::size_t at = 0; (at = text.find("\\-", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

class CompletionTest : public LogctlTest {
 protected:
  // What bash offers for the last of these words.
  Strings Complete(const Strings& words) {
    std::string line = "source <(\"$0\" completion bash); COMP_WORDS=(\"$0\"";
    for (const std::string& word : words) line += " '" + word + "'";
    line += "); COMP_CWORD=" + std::to_string(words.size()) + "; _logctl; printf '%s\\n' \"${COMPREPLY[@]}\"";
    const Ran ran = RunShell("bash", line);
    EXPECT_EQ(ran.err, "");
    Strings offered = Lines(ran.out);
    std::erase(offered, "");
    std::ranges::sort(offered);
    return offered;
  }

  // What fish offers at the end of this line.
  Strings CompleteInFish(const std::string& line) {
    const std::string script =
        "set -g program $argv[1]; function logctl; $program $argv; end; logctl completion fish | source; ";
    const Ran ran = RunShell("fish", script + "complete -C \"" + line + "\"");
    EXPECT_EQ(ran.err, "");
    return Lines(ran.out);
  }

  // What an interactive zsh shows when this line and a tab are typed. Its completions are those of `folder_`. The keys
  // that follow come after what the tab does.
  std::string TypeInZsh(const std::string& line) {
    const std::string script = R"sh(
      zmodload zsh/zpty
      zpty shell zsh -f
      zpty -w shell "logctl() { '$0' \"\$@\" }; fpath=('$FOLDER' \$fpath); autoload -Uz compinit; compinit -u -D"
      zpty -w shell 'finish() { zle -I; print -- fin""ished }; zle -N finish; bindkey "^Xd" finish; print -- rea""dy'
      zpty -r shell before '*ready*'
      zpty -w -n shell "$LINE"$'\t\x18d'
      zpty -r shell shown '*finished*'
      print -r -- $shown
    )sh";
    const Ran ran = RunShell("zsh", "FOLDER='" + folder_.path().string() + "' LINE=\"" + line + "\"\n" + script);
    EXPECT_EQ(ran.err, "");
    return ran.out;
  }
};

TEST_F(CompletionTest, EveryCommandAndOptionIsInAllOfThem) {
  const std::string bash = RunProgram({"completion", "bash"}).out, zsh = RunProgram({"completion", "zsh"}).out,
                    fish = RunProgram({"completion", "fish"}).out,
                    page = WithoutHyphenEscapes(RunProgram({"manual"}).out);
  const Strings commands = CommandsIn(RunProgram({"--help"}).out);
  ASSERT_GT(commands.size(), 20u);
  for (const std::string& command : commands) {
    EXPECT_THAT(bash, HasSubstr("\n    " + command + ") options=")) << command;
    EXPECT_THAT(zsh, HasSubstr("'" + command + ":")) << command;
    EXPECT_THAT(fish, HasSubstr("-n __logctl_needs_command -a " + command + " ")) << command;
    EXPECT_THAT(page, HasSubstr("\n.SS logctl " + command + " ")) << command;
    for (const std::string& option : NamesIn(RunProgram({command, "--help"}).out, "Options:")) {
      const std::string letter = option.starts_with("--") ? " -l " + option.substr(2) : " -s " + option.substr(1);
      EXPECT_THAT(bash, HasSubstr(option)) << command;
      EXPECT_THAT(zsh, HasSubstr(option + "[")) << command;
      EXPECT_THAT(fish, HasSubstr(letter + " ")) << command;
      EXPECT_THAT(page, HasSubstr("\\fB" + option + "\\fR")) << command;
    }
  }
}

TEST_F(CompletionTest, BashCompletesCommandsOptionsAndValues) {
  EXPECT_THAT(Complete({"sani"}), ElementsAre("sanitize"));
  EXPECT_THAT(Complete({"--store", "x", "comp"}), ElementsAre("completion"));
  EXPECT_THAT(Complete({"ls", "--s"}), ElementsAre("--since", "--sort", "--store"));
  EXPECT_THAT(Complete({"ls", "--sort", ""}), ElementsAre("events", "id", "size", "time"));
  EXPECT_THAT(Complete({"ls", "--sort", "=", "t"}), ElementsAre("time"));
  EXPECT_THAT(Complete({"--color", "a"}), ElementsAre("always", "auto"));
  EXPECT_THAT(Complete({"completion", "z"}), ElementsAre("zsh"));
  EXPECT_THAT(Complete({"ls", "--limit", ""}), IsEmpty());
}

TEST_F(CompletionTest, ZshCompletesConversationsOfTheStoreOnTheLine) {
  if (RunShell("zsh", "true").exit_code != 0) GTEST_SKIP() << "needs zsh";
  for (const char* name : {"one-1", "two"}) Append(name, R"({"type":"chat_request","content":"x"})");
  WriteFile("_logctl", RunProgram({"completion", "zsh"}).out);
  const std::string given = "--store '" + store() + "'";
  for (const std::string& line : {given + " show ", "show " + given + " ", "show " + given + " --from 2 ",
                                  "show --from 2 " + given + " ", "search x " + given + " --conversation "}) {
    EXPECT_THAT(TypeInZsh("logctl " + line), AllOf(HasSubstr("one-1"), HasSubstr("two"))) << line;
  }
}

TEST_F(CompletionTest, FishCompletesConversationsOfTheStoreOnTheLine) {
  if (RunShell("fish", "true").exit_code != 0) GTEST_SKIP() << "needs fish";
  for (const char* name : {"one-1", "two"}) Append(name, R"({"type":"chat_request","content":"x"})");
  const std::string given = "--store '" + store() + "'";
  for (const std::string& line : {given + " show ", "show " + given + " ", "show --store='" + store() + "' --from 2 ",
                                  "show --from 2 " + given + " ", "search x " + given + " --conversation "}) {
    // After a tab, fish may say what it is.
    EXPECT_THAT(CompleteInFish("logctl " + line),
                IsSupersetOf({MatchesRegex("one-1(\t.*)?"), MatchesRegex("two(\t.*)?")}))
        << line;
  }
  EXPECT_THAT(CompleteInFish("logctl " + given + " comp"), ElementsAre(HasSubstr("completion")));
  EXPECT_THAT(CompleteInFish("logctl " + given + " completion z"), ElementsAre("zsh"));
}

TEST_F(CompletionTest, BashCompletesConversationsAndFiles) {
  for (const char* name : {"one-1", "one 2", "two"}) Append(name, R"({"type":"chat_request","content":"x"})");
  const std::string file = WriteFile("history.jsonl", "x");
  EXPECT_THAT(Complete({"--store", store(), "show", "one"}), ElementsAre("one-1", "one\\ 2"));
  EXPECT_THAT(Complete({"--store", store(), "search", "x", "--conversation", "t"}), ElementsAre("two"));
  EXPECT_THAT(Complete({"scan", file.substr(0, file.size() - 3)}), ElementsAre(file));
}

TEST_F(CompletionTest, NoOtherShellIsKnown) { EXPECT_THAT(RunProgram({"completion", "tcsh"}), Fails(2)); }

TEST_F(CompletionTest, TheManualPageIsSoundRoff) {
  const std::string page = WriteFile("logctl.1", RunProgram({"manual"}).out);
  if (RunShell("sh", "command -v groff").exit_code != 0) GTEST_SKIP() << "there is no groff";
  const Ran ran = RunShell("sh", "groff -man -Tutf8 -ww -z '" + page + "'");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(RunShell("sh", "groff -man -Tascii -P-cbou '" + page + "'").out,
              AllOf(HasSubstr("logctl search"), HasSubstr("--sort KEY")));
}

}  // namespace
}  // namespace turnlog::completion_test
