// How output fits the terminal it is shown on, the pager, and which conversations `ls` lists.
#include "base/unicode.h"
#include "logctl/text.h"
#include "tests/logctl/logctl_test.h"

namespace turnlog::terminal_output_test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using testing::ResultOf;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kEllipsis = "\xe2\x80\xa6";

class TerminalOutputTest : public LogctlTest {
 protected:
  std::string Shown(Strings words, const std::string& columns, const std::string& pager = "cat") {
    words.insert(words.begin(), {"--store", store()});
    return ShowOnTerminal(words, {"COLUMNS=" + columns, "TERM=dumb", "PAGER=" + pager});
  }
  void AppendQuestion(const std::string& conversation, const std::string& text) {
    Append(conversation, R"({"type":"inquiry_request","id":"c.q.1","source":{"source":"user"},"question":{"text":")" +
                             text + R"(","answer_type":{"type":"boolean"}}})");
  }
};

TEST_F(TerminalOutputTest, TablesAreAsWideAsTheTerminal) {
  AppendQuestion(std::string(60, 'a'), "first line\\n\\n   second line\\t " + std::string(150, 'x'));
  for (const std::string columns : {"72", "100", "140"}) {
    const Strings lines = Lines(Shown({"pending"}, columns));
    ASSERT_THAT(lines, SizeIs(2));
    EXPECT_THAT(lines, Each(ResultOf(DisplayWidth, Le(std::stoul(columns)))));
    EXPECT_THAT(lines[1], HasSubstr(kEllipsis));
  }
  EXPECT_THAT(Shown({"pending"}, "200"), HasSubstr("first line second line xxx"));
}

TEST_F(TerminalOutputTest, WideCharactersAreCutByTheRoomThatTheyTake) {
  std::string wide;
  for (int i = 0; i < 60; ++i) wide += "\xe5\xad\x97";
  AppendQuestion("c", wide);
  EXPECT_THAT(Lines(Shown({"pending"}, "80")), Each(ResultOf(DisplayWidth, Le(80u))));
}

TEST_F(TerminalOutputTest, NothingIsCutInAPipe) {
  const std::string text(500, 'x');
  AppendQuestion(std::string(200, 'a'), "one\\ntwo " + text);
  const Strings lines = Lines(Output({"pending"}));
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[1], AllOf(StartsWith(std::string(200, 'a')), HasSubstr("one two " + text + " [boolean]")));
}

TEST_F(TerminalOutputTest, LongOutputOnATerminalGoesThroughThePager) {
  AppendSample();
  const std::string pager = "sed 's/^/> /'";
  EXPECT_THAT(Lines(Shown({"show", "sample"}, "80", pager)), Each(StartsWith("> ")));
  EXPECT_THAT(Lines(Shown({"search", "txt"}, "80", pager)), Each(StartsWith("> ")));
  EXPECT_THAT(Lines(Shown({"ls", "--help"}, "80", pager)), Each(StartsWith("> ")));
  EXPECT_THAT(Shown({"show", "sample", "--no-pager"}, "80", pager), Not(AnyOf(StartsWith("> "), HasSubstr("\n> "))));
  EXPECT_THAT(Shown({"ls"}, "80", pager), Not(AnyOf(StartsWith("> "), HasSubstr("\n> "))));
  EXPECT_THAT(Shown({"cat", "sample"}, "80", pager), Not(AnyOf(StartsWith("> "), HasSubstr("\n> "))));
  EXPECT_THAT(Logctl({"show", "sample"}, {}, {"PAGER=" + pager}).out, Not(AnyOf(StartsWith("> "), HasSubstr("\n> "))));
}

TEST_F(TerminalOutputTest, APagerThatEndsEarlyEndsTheOutput) {
  std::string lines;
  for (int i = 0; i < 20'000; ++i)
    lines += R"({"type":"chat_request","content":"hello, hello, hello"})"
             "\n";
  Append("long", lines);
  EXPECT_THAT(Lines(Shown({"show", "long"}, "80", "head -n 3")), SizeIs(3));
}

TEST_F(TerminalOutputTest, WithoutThePagerTheOutputIsShownDirectly) {
  AppendSample();
  WriteFile("no program", "");
  for (const std::string& pager : {std::string("nosuchpager -x"), "'" + (folder_ / "no program").string() + "'"}) {
    EXPECT_THAT(Shown({"show", "sample"}, "80", pager), HasSubstr("Please write a.txt")) << pager;
  }
}

TEST_F(TerminalOutputTest, ErrorsDoNotGoThroughThePager) {
  EXPECT_THAT(Shown({"show", "nothing"}, "80", "sed 's/^/> /'"),
              AllOf(HasSubstr("logctl: "), Not(AnyOf(StartsWith("> "), HasSubstr("\n> ")))));
}

class ListTest : public LogctlTest {
 protected:
  ListTest() {
    Append("a", Said("2026-01-03T00:00:00Z", 10));
    Append("b", Said("2026-01-01T00:00:00Z", 500));
    Append("c", Said("2026-01-02T00:00:00Z", 10) + Said("2026-01-02T00:00:00Z", 10));
    Append(
        "d",
        R"({"type":"inquiry_request","id":"c.q.1","source":{"source":"user"},"question":{"text":"?","answer_type":{"type":"boolean"}}})");
  }

  static std::string Said(const std::string& time, std::size_t bytes) {
    return R"({"type":"chat_request","timestamp":")" + time + R"(","content":")" + std::string(bytes, 'x') + "\"}\n";
  }

  Strings Ids(Strings words) {
    words.insert(words.begin(), {"ls", "--ids", "-q"});
    return Lines(Output(words));
  }
};

TEST_F(ListTest, SortsByTheGivenKey) {
  EXPECT_THAT(Ids({}), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(Ids({"-r"}), ElementsAre("d", "c", "b", "a"));
  EXPECT_THAT(Ids({"--sort", "time"}), ElementsAre("a", "c", "b", "d"));
  EXPECT_THAT(Ids({"--sort", "time", "-r"}), ElementsAre("d", "b", "c", "a"));
  EXPECT_THAT(Ids({"--sort", "events"}), ElementsAre("c", "a", "b", "d"));
  EXPECT_EQ(Ids({"--sort", "size"}).front(), "b");
}

TEST_F(ListTest, LimitAppliesAfterSorting) {
  EXPECT_THAT(Ids({"--limit", "2"}), ElementsAre("a", "b"));
  EXPECT_THAT(Ids({"--limit", "2", "-r"}), ElementsAre("d", "c"));
  EXPECT_THAT(Ids({"--sort", "time", "--limit", "1"}), ElementsAre("a"));
  EXPECT_THAT(Ids({"--limit", "0"}), IsEmpty());
}

TEST_F(ListTest, FiltersByPendingAndTime) {
  EXPECT_THAT(Ids({"--pending"}), ElementsAre("d"));
  EXPECT_THAT(Ids({"--since", "2026-01-02"}), ElementsAre("a", "c"));
  EXPECT_THAT(Ids({"--pending", "--since", "2026-01-02"}), IsEmpty());
  EXPECT_EQ(Json({"ls", "--pending"})["conversations"].Size(), 1u);
  EXPECT_EQ(Logctl({"ls", "--since", "1h"}).out, "");
  for (const char* const none : {"yesterday", "d", "", "-1d", "1.5d"}) {
    EXPECT_THAT(Logctl({"ls", "--since", none}), Fails(2)) << none;
  }
  EXPECT_THAT(Logctl({"ls", "--sort", "colour"}), Fails(2));
}

TEST(FitTest, CutsByColumnsBetweenCharacters) {
  EXPECT_EQ(CutToWidth("abc", 3), "abc");
  EXPECT_EQ(CutToWidth("abcd", 3), std::string("ab") + kEllipsis);
  EXPECT_EQ(CutToWidth("abcd", 1), kEllipsis);
  EXPECT_EQ(CutToWidth("abcd", 0), "");
}

TEST(FitTest, OneLineHasNoBreaksAndNoRunsOfSpace) {
  EXPECT_EQ(OneLine(" a \n\n\tb\r\nc "), "a b c");
  EXPECT_EQ(OneLine("a\x1b[31m"), "a\\x1b[31m");
}

}  // namespace
}  // namespace turnlog::terminal_output_test
