#include <algorithm>

#include "tests/logctl/logctl_test.h"

namespace turnlog::show_test {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::string Response(const std::string& content_json) {
  return R"({"type":"chat_response","message":)" + content_json + "}";
}

class ShowTest : public LogctlTest {
 protected:
  // The line of the event and the lines below it, up to the next event.
  std::string Event(const std::string& text, int seq) {
    const std::string begin = "\n" + std::string(seq < 10 ? 2 : 1, ' ') + std::to_string(seq) + "  ";
    const std::size_t at = text.find(begin);
    if (at == std::string::npos) return {};
    std::size_t end = text.find('\n', at + 1);
    while (end != std::string::npos && text.compare(end + 1, 6, "      ") == 0) end = text.find('\n', end + 1);
    return text.substr(at + 1, end - at);
  }
};

TEST_F(ShowTest, PrintsTurnsTimesAndMessages) {
  AppendSample();
  const std::string text = Output({"show", "sample"});
  EXPECT_THAT(text, HasSubstr("sample  26 events, 3 turns, 1 pending, "));
  EXPECT_THAT(text, HasSubstr("--- turn 1 --- 2026-01-02 ---"));
  EXPECT_THAT(text, HasSubstr("--- turn 3 --- 2026-01-02 ---"));
  EXPECT_EQ(Event(text, 2), "  2  03:04:05  user (Ann)\n               Please write a.txt\n");
  EXPECT_EQ(Event(text, 3), "  3  03:04:06  assistant, reasoning\n               I need a tool.\n");
  EXPECT_EQ(Event(text, 8), "  8  03:04:11  assistant\n               Done.\n");
}

TEST_F(ShowTest, PrintsCallsWithArgumentsAndResultsWithTheirTool) {
  AppendSample();
  const std::string text = Output({"show", "sample"});
  EXPECT_EQ(Event(text, 4), "  4  03:04:07  call fs_write  call_1\n               {\"path\":\"a.txt\"}\n");
  EXPECT_EQ(Event(text, 7), "  7  03:04:10  result of fs_write  call_1\n               written\n");
  EXPECT_EQ(Event(text, 17),
            " 17  04:00:07  deploy denied by the user  call_2\n               [DENIED BY USER] deploy (call call_2)\n"
            "               Input: {}\n               Reason: not today\n               refused\n");
}

TEST_F(ShowTest, MarksWhatTheUserDenied) {
  Append("c", R"({"type":"turn_start"}
{"type":"tool_call_request","id":"x","name":"rm","arguments":{"path": "a  b"}}
{"type":"tool_call_response","id":"x","content":"no","is_error":true,"denied":{"reason":"still needed","responder":{"kind":"user","who":"ann","via":"page"}}})");
  const std::string text = Output({"show", "c"});
  EXPECT_THAT(text, HasSubstr("rm denied by user ann via page  x\n"));
  EXPECT_THAT(text, HasSubstr("[DENIED BY USER] rm (call x)\n"));
  EXPECT_THAT(text, HasSubstr("Input: {\"path\": \"a  b\"}\n"));
  EXPECT_THAT(text, HasSubstr("Reason: still needed\n"));
}

TEST_F(ShowTest, ResultsBelongToTheNearestEarlierOpenCallOfTheirId) {
  const std::string result = R"({"type":"tool_call_response","id":"x","content":"done","is_error":false})";
  Append("c", R"({"type":"turn_start"}
{"type":"tool_call_request","id":"x","name":"first","arguments":{}}
{"type":"tool_call_request","id":"x","name":"second","arguments":{}}
)" + result + "\n" +
                  result + "\n" + result);
  const std::string text = Output({"show", "c"});
  EXPECT_THAT(Event(text, 4), HasSubstr("result of second  x"));
  EXPECT_THAT(Event(text, 5), HasSubstr("result of first  x"));
  EXPECT_THAT(Event(text, 5), Not(HasSubstr("a second result")));
  EXPECT_THAT(Event(text, 6), HasSubstr("a second result"));
  EXPECT_THAT(text, Not(HasSubstr("has no result")));
}

TEST_F(ShowTest, PrintsAnInquiryWithItsOutcome) {
  AppendSample();
  const std::string text = Output({"show", "sample"});
  EXPECT_EQ(Event(text, 5),
            "  5  03:04:08  question of tool fs_write  call_1.overwrite.1\n"
            "               Overwrite a.txt?\n"
            "               [boolean, default false]\n"
            "               => answered: true by assistant (m-1) (event 6)\n"
            "               reason: it is old\n");
  EXPECT_EQ(Event(text, 6), "  6  03:04:09  answers event 5\n");
  EXPECT_THAT(Event(text, 12), HasSubstr("               - \"append\": at its end\n               - \"replace\"\n"));
  EXPECT_THAT(Event(text, 12), HasSubstr("=> cancelled: backend_error (event 13)\n"));
  EXPECT_EQ(Event(text, 13), " 13  04:00:03  cancels event 12\n");
  EXPECT_THAT(Event(text, 15), HasSubstr("=> answered: [redacted] (event 16)\n"));
}

TEST_F(ShowTest, MarksPendingAndOrphansDifferently) {
  AppendSample();
  const std::string text = Output({"show", "sample"});
  EXPECT_THAT(Event(text, 18), HasSubstr("=> orphaned: no response in its turn\n"));
  EXPECT_THAT(Event(text, 19), HasSubstr("unmatched response  call_9.none.1\n"));
  EXPECT_THAT(Event(text, 20), HasSubstr("! no call in this turn has this id\n"));
  EXPECT_THAT(Event(text, 25), HasSubstr("=> pending\n"));
  EXPECT_THAT(text, HasSubstr("! the call of fs_write in event 11 has no result in this turn\n"));
  EXPECT_THAT(text, HasSubstr("! the call of fs_write in event 24 has no result yet\n"));
  EXPECT_THAT(text, Not(HasSubstr("in event 4 has no result")));
}

TEST_F(ShowTest, GivesUnknownKindsOneLine) {
  AppendSample();
  EXPECT_THAT(Output({"show", "sample"}), HasSubstr("\n 21            x.note  40 bytes\n"));
  EXPECT_THAT(Output({"show", "sample", "--full"}), HasSubstr(R"("n":1.50,"text":"kept"})"));
}

TEST_F(ShowTest, NamesTheTypesOfKeptRecords) {
  Append("c", R"({"type":"foreign","format":"codex","record":{"type":"event_msg","payload":{"type":"token_count"}}}
{"type":"foreign","format":"claude-code","record":{"type":"system","subtype":"compact_boundary"}}
{"type":"foreign","format":"codex","record":"not JSON"})");
  const std::string text = Output({"show", "c"});
  EXPECT_THAT(Event(text, 1), HasSubstr("codex event_msg/token_count  "));
  EXPECT_THAT(Event(text, 2), HasSubstr("claude-code system/compact_boundary  "));
  EXPECT_THAT(Event(text, 3), HasSubstr("codex record  "));
}

TEST_F(ShowTest, TellsWhatARedactionWas) {
  const std::string redaction = R"({"type":"redaction","by":"me","events":1,"rules":[{"rule":"jwt","seqs":[[2,2]]}]})";
  Append("c", redaction);
  EXPECT_EQ(Event(Output({"show", "c"}), 1),
            "  1            redaction\n"
            "               " +
                redaction + "\n");
}

TEST_F(ShowTest, ShowsOnlyTheTurnsAskedFor) {
  AppendSample();
  const std::string second = Output({"show", "sample", "--turn", "2"});
  EXPECT_THAT(second, HasSubstr("And b.txt"));
  EXPECT_THAT(second, Not(HasSubstr("a.txt?")));
  EXPECT_THAT(second, Not(HasSubstr("And c.txt")));
  EXPECT_THAT(second, HasSubstr("in event 11 has no result in this turn"));
  const std::string last = Output({"show", "sample", "--last-turns", "1"});
  EXPECT_THAT(last, HasSubstr("And c.txt"));
  EXPECT_THAT(last, Not(HasSubstr("And b.txt")));
}

TEST_F(ShowTest, CallsNothingAnOrphanWhoseCallMayStandBeforeTheFirstEventShown) {
  AppendSample();
  const std::string text = Output({"show", "sample", "--from", "7"});
  EXPECT_THAT(Event(text, 7), HasSubstr("result  call_1"));
  EXPECT_THAT(Event(text, 7), Not(HasSubstr("!")));
  EXPECT_THAT(Event(text, 20), HasSubstr("! no call"));
}

TEST_F(ShowTest, ShortensLongResultsUnlessAskedForAll) {
  const std::string content(12345, 'x');
  Append("c", R"({"type":"tool_call_response","id":"t","content":")" + content + R"(","is_error":false})");
  EXPECT_THAT(Output({"show", "c"}), HasSubstr("               ... (12,345 bytes)\n"));
  const std::string full = Output({"show", "c", "--full"});
  EXPECT_EQ(std::ranges::count(full, 'x'), 12345);
  EXPECT_THAT(full, Not(HasSubstr("...")));
}

TEST_F(ShowTest, WrapsTextToAHundredColumnsOutsideATerminal) {
  std::string words;
  for (int i = 0; i < 100; ++i) words += "word ";
  Append("c", Response("\"" + words + "\""));
  for (const std::string& line : Lines(Output({"show", "c"}))) EXPECT_LE(line.size(), 100u) << line;
}

TEST_F(ShowTest, LetsNoStoredTextSteerTheTerminal) {
  const std::string evil =
      R"("\u001b]0;title\u0007\u001b[31mred\u009b31m\u202eltr\u2066iso\u0000nul\rcr\u2028sep\u007fdel\ttab\u200fmark")";
  Append("c", Response(evil) + R"(
{"type":"tool_call_request","id":"\u001b[2J","name":"\u001b[1m","arguments":{"a":"\u009b"}}
{"type":"tool_call_response","id":"\u001b[2J","content":"\u001b[3m","is_error":true,"denied":{"reason":"\u001b[4m"}}
{"type":"inquiry_request","id":"\u001b[5m","source":{"source":"other","name":"\u001b[6m"},"question":{"text":"\u001b[7m","context":"\u001b[7m","answer_type":{"type":"select","options":[{"value":"\u202e","description":"\u001b[8m"}]}}}
{"type":"inquiry_response","outcome":"answered","id":"\u001b[5m","answer":"\u202e","reason":"\u001b[9m","responder":{"kind":"\u001b[9m","model":"\u001b[9m"}}
{"type":"\u001b[9m","x":1})");
  for (const Strings& words : {Strings{"show", "c"}, Strings{"show", "c", "--full"}, Strings{"get", "c", "\x1b[5m"}}) {
    const std::string text = Output(words);
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    for (const char* raw :
         {"\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\xa8", "\xe2\x80\x8f", "\x7f", "\r", "\t"}) {
      EXPECT_THAT(text, Not(HasSubstr(raw)));
    }
    EXPECT_EQ(text.find('\0'), std::string::npos);
  }
  const std::string text = Output({"show", "c"});
  EXPECT_THAT(text, HasSubstr(R"(\x1b]0;title\x07\x1b[31mred\x9b31m\u202eltr\u2066iso\x00nul\rcr\u2028sep\x7fdel)"));
  EXPECT_THAT(text, HasSubstr(R"(tab\u200fmark)"));
}

TEST_F(ShowTest, GivesInfoAndEventsAsOneDocument) {
  AppendSample();
  const auto json = Json({"show", "sample", "--last-turns", "1"});
  EXPECT_EQ(json["conversation"]["events"].Number(), kSampleEvents);
  ASSERT_EQ(json["events"].Size(), 5u);
  EXPECT_EQ(json["events"][0]["seq"].Number(), 22u);
  EXPECT_EQ(json["events"][4]["type"].Text(), "compaction");
  EXPECT_EQ(json["damage"].Size(), 0u);
}

TEST_F(ShowTest, UsesColoursOnlyWhenAskedTo) {
  AppendSample();
  EXPECT_THAT(Output({"show", "sample"}), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(Output({"show", "sample", "--color", "never"}), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(Output({"--color", "always", "show", "sample"}), HasSubstr("\x1b[32muser (Ann)\x1b[0m"));
}

}  // namespace
}  // namespace turnlog::show_test
