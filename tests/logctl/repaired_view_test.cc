// What cat, show, get and export make of a conversation with a repair: its sanitized view, and the log with --raw.
#include "tests/logctl/logctl_test.h"

namespace turnlog::repaired_view_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// The call of event 11 gets an error result, after its inquiry; the inquiry of event 18 is closed; the unmatched
// response in event 19 is dropped; the result in event 20 moves after event 4.
constexpr const char* kRepair =
    R"({"type":"repair","profile":"strict","head":26,"from":4,"to":20,"items":[)"
    R"({"move":20,"to_after":4,"rule":"moved-tool-result"},)"
    R"({"insert_after":13,"cause":11,"rule":"interrupted-tool-call","event":{"timestamp":"2026-01-02T04:00:01Z",)"
    R"("type":"tool_call_response","id":"call_1","content":"Tool call was interrupted.","is_error":true}},)"
    R"({"insert_after":18,"cause":18,"rule":"interrupted-inquiry","event":{"timestamp":"2026-01-02T04:00:08Z",)"
    R"("type":"inquiry_response","outcome":"cancelled","id":"call_2.lonely.1","reason":"interrupted"}},)"
    R"({"drop":19,"rule":"orphan-inquiry-answer"}]})";

class RepairedViewTest : public LogctlTest {
 protected:
  RepairedViewTest() {
    AppendSample();
    raw_ = Lines(Output({"cat", "sample"}));
    Append("sample", kRepair);
    raw_.push_back(std::string(R"({"conversation":"sample","seq":27,)").append(kRepair + 1));
  }

  // As `cat` gives it.
  Strings View() const {
    Strings view(raw_.begin(), raw_.begin() + 4);
    view.push_back(raw_[19]);
    view.insert(view.end(), raw_.begin() + 4, raw_.begin() + 13);
    view.emplace_back(
        R"({"conversation":"sample","timestamp":"2026-01-02T04:00:01Z","type":"tool_call_response","id":"call_1",)"
        R"("content":"Tool call was interrupted.","is_error":true})");
    view.insert(view.end(), raw_.begin() + 13, raw_.begin() + 18);
    view.emplace_back(R"({"conversation":"sample","timestamp":"2026-01-02T04:00:08Z","type":"inquiry_response",)"
                      R"("outcome":"cancelled","id":"call_2.lonely.1","reason":"interrupted"})");
    view.insert(view.end(), raw_.begin() + 20, raw_.begin() + 26);
    return view;
  }

  Strings raw_;  // as `cat --raw` gives it
};

TEST_F(RepairedViewTest, CatGivesTheSanitizedViewAndTheLogOnRequest) {
  EXPECT_EQ(Lines(Output({"cat", "sample"})), View());
  EXPECT_EQ(Lines(Output({"cat", "sample", "--raw"})), raw_);
}

TEST_F(RepairedViewTest, CatSelectsFromTheView) {
  const Strings view = View();
  EXPECT_EQ(Lines(Output({"cat", "sample", "--from", "14"})), Strings(view.begin() + 15, view.end()));
  EXPECT_EQ(Lines(Output({"cat", "sample", "--turn", "1"})), Strings(view.begin(), view.begin() + 9));
  EXPECT_EQ(Lines(Output({"cat", "sample", "--last-turns", "1"})), Strings(view.end() - 5, view.end()));
  EXPECT_THAT(Lines(Output({"cat", "sample", "--last-turns", "1", "--raw"})), SizeIs(6));
}

TEST_F(RepairedViewTest, ShowMarksWhatARepairHasPlaced) {
  const std::string text = Output({"show", "sample"});
  EXPECT_THAT(text, HasSubstr(", 1 repair, since 2026-01-02"));
  EXPECT_THAT(text, HasSubstr("\n  +  04:00:01  error of fs_write  call_1  [inserted: interrupted-tool-call]\n"
                              "               Tool call was interrupted.\n"));
  EXPECT_THAT(text, HasSubstr("\n 20  04:00:10  result  call_9  [moved here: moved-tool-result]\n"));
  EXPECT_THAT(text, HasSubstr("\n  +  04:00:08  cancels  call_2.lonely.1  [inserted: interrupted-inquiry]\n"));
  EXPECT_THAT(text, HasSubstr("               => cancelled: interrupted (by a repair: interrupted-inquiry)\n"));
  EXPECT_THAT(text, Not(HasSubstr("orphaned")));
  EXPECT_THAT(text, Not(HasSubstr("unmatched response")));
  EXPECT_THAT(text, Not(HasSubstr("in event 11 has no result")));
}

TEST_F(RepairedViewTest, ShowGivesTheLogOnRequest) {
  const std::string text = Output({"show", "sample", "--raw"});
  EXPECT_THAT(text, HasSubstr("=> orphaned: no response in its turn\n"));
  EXPECT_THAT(text, HasSubstr("unmatched response"));
  EXPECT_THAT(text, HasSubstr("in event 11 has no result in this turn"));
  EXPECT_THAT(text, HasSubstr("\n 27            repair"));
  EXPECT_THAT(text, Not(HasSubstr("[inserted")));
  EXPECT_THAT(text, Not(HasSubstr("[moved")));
}

TEST_F(RepairedViewTest, ShowMarksAnInsertedTurnStart) {
  Append("c", R"({"type":"chat_request","content":"hello"})"
              "\n"
              R"({"type":"repair","profile":"x","head":1,"from":0,"to":1,"items":[{"insert_after":0,"cause":1,)"
              R"("rule":"missing-leading-turn","event":{"type":"turn_start"}}]})");
  const std::string text = Output({"show", "c"});
  EXPECT_THAT(text, HasSubstr("\n--- turn 0 ---"));
  EXPECT_THAT(text, HasSubstr("\n  +            begins  [inserted: missing-leading-turn]\n  1            user\n"));
}

TEST_F(RepairedViewTest, ShowMarksThemInJson) {
  const auto json = Json({"show", "sample"});
  ASSERT_EQ(json["events"].Size(), View().size());
  EXPECT_EQ(json["events"][4]["repair"]["action"].Text(), "move");
  EXPECT_EQ(json["events"][4]["repair"]["rule"].Text(), "moved-tool-result");
  EXPECT_EQ(json["events"][4]["seq"].Number(), 20U);
  EXPECT_EQ(json["events"][14]["repair"]["action"].Text(), "insert");
  EXPECT_EQ(json["events"][14]["repair"]["rule"].Text(), "interrupted-tool-call");
  EXPECT_EQ(json["events"][14]["type"].Text(), "tool_call_response");
  EXPECT_THAT(Output({"show", "sample", "--json", "--raw"}), Not(HasSubstr("\"repair\":{")));
}

TEST_F(RepairedViewTest, GetNamesTheRepairThatClosedAnInquiry) {
  const std::string text = Output({"get", "sample", "call_2.lonely.1"});
  EXPECT_THAT(text, HasSubstr("turn 2  call_2.lonely.1  cancelled\n"));
  EXPECT_THAT(text,
              HasSubstr("  outcome     cancelled: interrupted\n  closed      by a repair: interrupted-inquiry\n"));
  const auto json = Json({"get", "sample", "call_2.lonely.1"});
  const auto inquiry = json["inquiries"][0];
  EXPECT_EQ(inquiry["state"].Text(), "cancelled");
  EXPECT_EQ(inquiry["repair"]["rule"].Text(), "interrupted-inquiry");
  EXPECT_EQ(inquiry["response"]["reason"].Text(), "interrupted");
}

TEST_F(RepairedViewTest, GetSaysThatARepairLeavesTheInquiryOut) {
  const std::string text = Output({"get", "sample", "call_9.none.1"});
  EXPECT_THAT(text, HasSubstr("call_9.none.1  unmatched\n"));
  EXPECT_THAT(text, HasSubstr("  repair      leaves it out of the sanitized view\n"));
  EXPECT_THAT(Output({"get", "sample", "call_9.none.1", "--json"}), HasSubstr(R"("left_out": true)"));
  EXPECT_THAT(Output({"get", "sample", "call_1.overwrite.1"}), Not(HasSubstr("repair")));
}

TEST_F(RepairedViewTest, ExportGivesAHistoryThatCanBeImported) {
  Strings expected = View();
  const std::string file = WriteFile("export.jsonl", Output({"export", "sample", "--format", "jsonl"}));
  const Ran imported = RunProgram({"import", "jsonl", file, "--store", (folder_ / "other").string()}, "", {});
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  const Ran cat = RunProgram({"cat", "sample", "--store", (folder_ / "other").string()}, "", {});
  const Strings there = Lines(cat.out);
  ASSERT_EQ(there.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto body = [](const std::string& line) { return line.substr(line.find(R"("t)")); };  // after the envelope
    EXPECT_EQ(body(there[i]), body(expected[i]));
    EXPECT_THAT(there[i], HasSubstr(R"("seq":)" + std::to_string(i + 1) + ","));
  }
}

TEST_F(RepairedViewTest, ExportGivesTheLogOnRequest) {
  EXPECT_EQ(Lines(Output({"export", "sample", "--format", "jsonl", "--raw"})), raw_);
}

TEST_F(RepairedViewTest, OnlyTheRawLogShowsErasedEvents) {
  ASSERT_TRUE(Open(OpenMode::kWrite)->Erase(ConversationId::Parse("sample").value(), std::vector{Seq{19}}));
  EXPECT_EQ(Lines(Output({"cat", "sample"})), View());
  raw_[18] = R"({"conversation":"sample","seq":19,"type":"erased","kind":"inquiry_response"})";
  EXPECT_EQ(Lines(Output({"cat", "sample", "--raw"})), raw_);
  EXPECT_EQ(Lines(Output({"export", "sample", "--format", "jsonl", "--raw"})), raw_);
  EXPECT_EQ(Lines(Logctl({"tail", "sample"}).out), raw_);
  EXPECT_THAT(Output({"show", "sample", "--raw"}), HasSubstr("\n 19            erased: inquiry_response\n"));
  EXPECT_EQ(Json({"show", "sample", "--raw"})["events"][18]["kind"].Text(), "inquiry_response");
}

// So it can be tried again, and into another store.
TEST_F(RepairedViewTest, WhatWasErasedDoesNotKeepAnExportFromBeingImported) {
  const std::string before = WriteFile("before.jsonl", Output({"export", "sample", "--format", "jsonl", "--raw"}));
  ASSERT_TRUE(Open(OpenMode::kWrite)->Erase(ConversationId::Parse("sample").value(), std::vector{Seq{19}}));
  const std::string after = WriteFile("after.jsonl", Output({"export", "sample", "--format", "jsonl", "--raw"}));
  for (const std::string& file : {before, after}) {
    EXPECT_EQ(Json({"import", "jsonl", file})["conversations"]["unchanged"].Number(), 1U) << file;
  }
}

TEST_F(RepairedViewTest, AppendRefusesARepairOfAnotherShape) {
  const Ran ran =
      Logctl({"append", "sample"}, R"({"type":"repair","profile":"x","head":1,"from":1,"to":1,"items":[{}]})");
  EXPECT_THAT(ran, FailsWith(1, "<stdin>:1: byte 65: items[0]"));
}

TEST_F(RepairedViewTest, WhatARepairHasClosedIsNotListedAsPending) {
  Append("w", R"({"type":"turn_start"}
{"type":"chat_request","content":"go"}
{"type":"tool_call_request","id":"a","name":"rm","arguments":{}}
{"type":"inquiry_request","id":"a.q.1","source":{"source":"tool","name":"rm"},"question":{"text":"Sure?","answer_type":{"type":"boolean"}}})");
  EXPECT_THAT(Lines(Output({"ls", "--pending", "--ids"})), testing::Contains("w"));
  EXPECT_THAT(Output({"show", "w", "--json"}), HasSubstr("\"pending\": 1"));
  EXPECT_THAT(Output({"get", "w", "a.q.1"}), HasSubstr("pending"));
  Output({"sanitize", "w", "--close-open"});
  EXPECT_THAT(Lines(Output({"ls", "--pending", "--ids"})), Not(testing::Contains("w")));
  EXPECT_THAT(Output({"show", "w", "--json"}), HasSubstr("\"pending\": 0"));
  EXPECT_THAT(Output({"get", "w", "a.q.1"}), Not(HasSubstr("pending")));
  EXPECT_THAT(Output({"show", "w"}), Not(HasSubstr("pending")));
  EXPECT_THAT(Output({"show", "w", "--raw"}), HasSubstr("=> pending"));
  EXPECT_THAT(Output({"pending", "w", "--json"}), Not(HasSubstr("a.q.1")));
}

}  // namespace
}  // namespace turnlog::repaired_view_test
