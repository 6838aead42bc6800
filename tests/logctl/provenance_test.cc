// Who decided what.
#include "tests/logctl/logctl_test.h"

namespace turnlog::provenance_test {
namespace {

using testing::HasSubstr;

class ProvenanceTest : public LogctlTest {
 protected:
  ProvenanceTest() {
    Append("c", R"({"type":"turn_start"}
{"type":"tool_call_request","id":"a","name":"rm","arguments":{"path":"/ x"}}
{"type":"inquiry_request","id":"a.sure.1","source":{"source":"tool","name":"rm"},"question":{"text":"Sure?","answer_type":{"type":"boolean"}}}
{"type":"inquiry_response","outcome":"answered","id":"a.sure.1","answer":false,"reason":"too much","responder":{"kind":"assistant","model":"m-1"}}
{"type":"inquiry_request","id":"a.sure.2","source":{"source":"tool","name":"rm"},"question":{"text":"Sure?","answer_type":{"type":"boolean"}},"escalated_from":"a.sure.1"}
{"type":"inquiry_response","outcome":"answered","id":"a.sure.2","answer":true,"responder":{"kind":"user","who":"bo","via":"terminal"},"timestamp":"2026-01-02T03:04:05Z"}
{"type":"tool_call_response","id":"a","content":"","is_error":false}
{"type":"tool_call_request","id":"b","name":"sh","arguments":{"cmd":"ls"}}
{"type":"tool_call_response","id":"b","content":"no","is_error":true,"denied":{"reason":"not now"}}
)");
  }
};

TEST_F(ProvenanceTest, NamesArgumentsDeciderTimeReasonAndEarlierNos) {
  const JsonValue report = Json({"provenance", "c"});
  ASSERT_EQ(report["decisions"].Size(), 3U);
  const JsonValue yes = report["decisions"][1];
  EXPECT_EQ(yes["seq"].Number(), 6U);
  EXPECT_EQ(yes["turn"].Number(), 1U);
  EXPECT_EQ(yes["kind"].Text(), "inquiry");
  EXPECT_EQ(yes["inquiry"].Text(), "a.sure.2");
  EXPECT_EQ(yes["question"].Text(), "Sure?");
  EXPECT_EQ(yes["outcome"].Text(), "answered: true");
  EXPECT_EQ(yes["by"].Text(), "user bo via terminal");
  EXPECT_EQ(yes["time"].Text(), "2026-01-02T03:04:05Z");
  EXPECT_EQ(yes["tool"].Text(), "rm");
  EXPECT_EQ(yes["arguments"]["path"].Text(), "/ x");
  ASSERT_EQ(yes["escalated_from"].Size(), 1U);
  EXPECT_EQ(yes["escalated_from"][0]["inquiry"].Text(), "a.sure.1");
  EXPECT_EQ(yes["escalated_from"][0]["by"].Text(), "assistant (m-1)");
  EXPECT_EQ(yes["escalated_from"][0]["reason"].Text(), "too much");
  EXPECT_EQ(report["decisions"][0]["escalated_from"].Size(), 0U);
}

TEST_F(ProvenanceTest, ListsDeniedCalls) {
  const JsonValue denial = Json({"provenance", "c"})["decisions"][2];
  EXPECT_EQ(denial["kind"].Text(), "denial");
  EXPECT_EQ(denial["tool_call"].Text(), "b");
  EXPECT_EQ(denial["arguments"]["cmd"].Text(), "ls");
  EXPECT_EQ(denial["by"].Text(), "user");
  EXPECT_EQ(denial["reason"].Text(), "not now");
}

TEST_F(ProvenanceTest, ShowsBothVersionsOfEditedArguments) {
  Append("e", R"({"type":"turn_start"}
{"type":"tool_call_request","id":"a","name":"rm","arguments":{"path":"x"}}
{"type":"inquiry_request","id":"a.approve.1","source":{"source":"tool","name":"rm"},"question":{"text":"Run rm?","answer_type":{"type":"boolean"}}}
{"type":"inquiry_response","outcome":"answered","id":"a.approve.1","answer":false,"metadata":{"edited_arguments":{"path": "y"},"arguments_hash":"-"}}
)");
  const JsonValue decision = Json({"provenance", "e"})["decisions"][0];
  EXPECT_EQ(decision["outcome"].Text(), R"(edited: {"path":"y"})");
  EXPECT_EQ(decision["arguments"]["path"].Text(), "x");
  const std::string allowed = R"(allowed with other arguments: {"path":"y"})";
  EXPECT_THAT(Output({"show", "e"}), HasSubstr("=> " + allowed));
  EXPECT_THAT(Output({"get", "e", "a.approve.1"}), HasSubstr(allowed));
  for (const char* format : {"markdown", "html", "handoff"}) {
    EXPECT_THAT(Output({"export", "e", "--format", format}), HasSubstr("Allowed with other arguments: "));
  }
}

TEST_F(ProvenanceTest, NamesTheRepairThatDecided) {
  Append("d", R"({"type":"turn_start"}
{"type":"chat_request","content":"x"}
{"type":"inquiry_request","id":"q","source":{"source":"assistant"},"question":{"text":"?","answer_type":{"type":"text"}}}
{"type":"chat_response","message":"y"}
{"type":"turn_start"}
{"type":"chat_request","content":"z"}
)");
  Logctl({"sanitize", "d"});
  const JsonValue decision = Json({"provenance", "d"})["decisions"][0];
  EXPECT_EQ(decision["repair"].Text(), "interrupted-inquiry");
  EXPECT_EQ(decision["outcome"].Text(), "cancelled: interrupted");
  EXPECT_FALSE(decision.Has("seq"));
}

TEST_F(ProvenanceTest, OfAnUnknownConversationFails) { EXPECT_THAT(Logctl({"provenance", "nosuch"}), Fails(1)); }

TEST_F(ProvenanceTest, IsReadable) {
  const std::string text = Output({"provenance", "c"});
  EXPECT_THAT(text, HasSubstr("after no of assistant (m-1) in a.sure.1: too much"));
  EXPECT_THAT(text, HasSubstr("by          assistant (m-1)\n  when        not recorded\n"));
}

}  // namespace
}  // namespace turnlog::provenance_test
