// `logctl search`: what it prints, and how it ends.
#include "tests/logctl/logctl_test.h"

namespace turnlog::search_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class SearchCommandTest : public LogctlTest {
 protected:
  SearchCommandTest() { AppendSample(); }
};

TEST_F(SearchCommandTest, NamesConversationEventTurnTimeKindAndTool) {
  EXPECT_THAT(Lines(Output({"search", "a.txt"})),
              ElementsAre("sample:2: turn 1  2026-01-02 03:04:05  chat_request: Please write a.txt",
                          R"(sample:4: turn 1  2026-01-02 03:04:07  tool_call_request fs_write: {"path":"a.txt"})",
                          "sample:5: turn 1  2026-01-02 03:04:08  inquiry_request fs_write: Overwrite a.txt?"));
  EXPECT_THAT(Lines(Output({"search", "note"})),
              ElementsAre(R"(sample:21: turn 2  unknown: {"type":"x.note","n":1.50,"text":"kept"})"));
}

TEST_F(SearchCommandTest, NoMatchIsNoFailure) {
  const Ran ran = Logctl({"search", "no such text"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err, "");
  EXPECT_EQ(Logctl({"search", "-q", "no such text"}).err, "");
}

TEST_F(SearchCommandTest, CheckEndsWithThreeIfAnythingIsFound) {
  EXPECT_EQ(Logctl({"search", "--check", "a.txt"}).exit_code, 3);
  EXPECT_EQ(Logctl({"search", "--check", "no such text"}).exit_code, 0);
}

TEST_F(SearchCommandTest, PatternIsLiteralUnlessRegexIsGiven) {
  EXPECT_THAT(Lines(Output({"search", "-e", "^[A-Z]\\w+ [abc]\\.txt\\?$"})), SizeIs(1));
  EXPECT_THAT(Output({"search", "-q", "a.*t"}), IsEmpty());
  EXPECT_THAT(Lines(Output({"search", "-i", "DONE"})), SizeIs(1));
  EXPECT_THAT(Lines(Output({"search", "-S", "done"})), SizeIs(1));
  EXPECT_THAT(Output({"search", "-q", "-S", "DONE"}), IsEmpty());
  EXPECT_THAT(Logctl({"search", "-e", "("}), Fails(2));
  EXPECT_THAT(Logctl({"search", "a\nb"}), Fails(2));
}

TEST_F(SearchCommandTest, SearchesOnlyTheSelectedEvents) {
  EXPECT_THAT(Lines(Output({"search", "txt", "--kind", "chat_request"})), SizeIs(3));
  EXPECT_THAT(Lines(Output({"search", "txt", "--kind", "chat_request", "--kind", "tool_call_request"})), SizeIs(6));
  EXPECT_THAT(Lines(Output({"search", "", "--tool", "deploy", "--kind", "tool_call_response"})), SizeIs(3));
  EXPECT_THAT(Lines(Output({"search", "txt", "--since", "2026-01-02T05:00:00Z"})), SizeIs(2));
  EXPECT_THAT(Lines(Output({"search", "txt", "--until", "2026-01-02T04:00:00Z"})), SizeIs(3));
  EXPECT_THAT(Output({"search", "-q", "txt", "--since", "1h"}), IsEmpty());
  Append("other", R"({"type":"chat_request","content":"b.txt"})");
  EXPECT_THAT(Lines(Output({"search", "b.txt", "--conversation", "other"})), SizeIs(1));
  EXPECT_THAT(Lines(Output({"search", "b.txt", "--conversation", "s*e", "--conversation", "other"})), SizeIs(3));
}

TEST_F(SearchCommandTest, RefusesWrongUsage) {
  EXPECT_THAT(Logctl({"search", "x", "--kind", "tool_cal"}), Fails(2));
  EXPECT_THAT(Logctl({"search", "x", "--since", "soon"}), Fails(2));
  EXPECT_THAT(Logctl({"search", "x", "--until", "2026-02-31"}), Fails(2));
  EXPECT_THAT(Logctl({"search", "x", "--jobs", "0"}), Fails(2));
  EXPECT_THAT(Logctl({"search", "-e", "("}).err, Not(HasSubstr("(?m)")));
  EXPECT_THAT(Logctl({"search", "x", "-c", "-l"}), Fails(2));
  EXPECT_THAT(Logctl({"search", "x", "--conversation", "simple"}), FailsWith(1, " sample?"));
}

TEST_F(SearchCommandTest, ContextIsMarkedAndGroupsAreApart) {
  EXPECT_THAT(Lines(Output({"search", "And", "-B", "1"})),
              ElementsAre("sample-9- turn 2  2026-01-02 04:00:00  turn_start",
                          "sample:10: turn 2  2026-01-02 04:00:00  chat_request: And b.txt", "--",
                          "sample-22- turn 3  2026-01-02 05:00:00  turn_start",
                          "sample:23: turn 3  2026-01-02 05:00:00  chat_request: And c.txt"));
}

TEST_F(SearchCommandTest, CountsOrListsConversations) {
  Append("other", R"({"type":"chat_request","content":"b.txt"})");
  EXPECT_EQ(Output({"search", "-c", "b.txt"}), "other: 1\nsample: 2\n3 events\n");
  EXPECT_EQ(Output({"search", "-l", "b.txt"}), "other\nsample\n");
  EXPECT_EQ(Output({"search", "-l", "b.txt", "--limit", "1"}), "other\n");
}

TEST_F(SearchCommandTest, ReportsAsJson) {
  const JsonValue report = Json({"search", "a.txt", "--kind", "tool_call_request", "-A", "1"});
  ASSERT_EQ(report["events"].Size(), 2u);
  const JsonValue found = report["events"][0];
  EXPECT_EQ(found["conversation"].Text(), "sample");
  EXPECT_EQ(found["seq"].Number(), 4u);
  EXPECT_EQ(found["turn"].Number(), 1u);
  EXPECT_EQ(found["timestamp"].Text(), "2026-01-02T03:04:07Z");
  EXPECT_EQ(found["kind"].Text(), "tool_call_request");
  EXPECT_EQ(found["tool"].Text(), "fs_write");
  EXPECT_EQ(found["lines"][0]["field"].Text(), "arguments");
  EXPECT_EQ(found["lines"][0]["text"].Text(), R"({"path":"a.txt"})");
  EXPECT_EQ(found["lines"][0]["matches"][0]["begin"].Number(), 9u);
  EXPECT_EQ(found["lines"][0]["matches"][0]["end"].Number(), 14u);
  EXPECT_EQ(report["matches"].Number(), 1u);
  EXPECT_EQ(report["searched"]["events"].Number(), kSampleEvents);
  EXPECT_EQ(Json({"search", "-c", "b.txt"})["conversations"][0]["matches"].Number(), 2u);
  EXPECT_EQ(Json({"search", "-l", "b.txt"})["conversations"][0]["id"].Text(), "sample");
}

TEST_F(SearchCommandTest, StoredTextCannotSteerTheTerminal) {
  Append("evil", R"({"type":"chat_request","content":"\u001b[31m red \u202e"})");
  EXPECT_THAT(Output({"search", "red"}), AllOf(HasSubstr("\\x1b[31m red \\u202e"), Not(HasSubstr("\x1b"))));
}

TEST_F(SearchCommandTest, MatchesAreColouredWhereColoursAre) {
  EXPECT_THAT(Output({"search", "Done", "--color", "always"}), HasSubstr("\x1b[31mDone\x1b[0m."));
}

TEST_F(SearchCommandTest, OnATerminalALineIsCutAroundItsMatch) {
  Append("long",
         R"({"type":"chat_request","content":")" + std::string(300, 'x') + " needle " + std::string(300, 'y') + "\"}");
  const std::string shown =
      ShowOnTerminal({"--store", store(), "search", "needle"}, {"COLUMNS=80", "TERM=dumb", "PAGER=cat"});
  ASSERT_THAT(Lines(shown), SizeIs(1));
  EXPECT_THAT(shown, AllOf(HasSubstr("x needle y"), HasSubstr("\xe2\x80\xa6xxx"), HasSubstr("yyy\xe2\x80\xa6")));
  EXPECT_THAT(Output({"search", "needle"}), HasSubstr(std::string(300, 'x') + " needle " + std::string(300, 'y')));
}

}  // namespace
}  // namespace turnlog::search_test
