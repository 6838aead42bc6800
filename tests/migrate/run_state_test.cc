// RunState documents of the OpenAI Agents SDK.
#include <gmock/gmock.h>

#include "migrate/openai_agents/format.h"
#include "tests/migrate/read_source.h"
#include "tests/support/sanitized.h"

namespace turnlog::run_state_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kTurn = R"({"type":"turn_start"})";

ReadSource Read(const std::string& text) { return ReadFiles(kOpenAiAgentsFormat, {{"run.json", text}}); }

std::string State(const std::string& approvals, const std::string& interruptions) {
  const std::string item = R"({"call_id":"c1","name":"rm","type":"function_call","arguments":"{}"})";
  return R"({"$schemaVersion":"1.13","original_input":"Hi","context":{"approvals":)" + approvals +
         R"(},"current_step":{"data":{"interruptions":[)" + interruptions +
         R"(]}},"generated_items":[{"type":"tool_call_item","raw_item":)" + item +
         R"(},{"type":"tool_approval_item","tool_name":"rm","raw_item":)" + item + "}]}\n";
}

TEST(RunStateTest, TurnsTheApprovalsOfARunIntoInquiries) {
  const auto shapes = [](const std::string& approvals) { return Shapes(Read(State(approvals, "")).only().events); };
  EXPECT_THAT(shapes("{}"),
              ElementsAre(kTurn, HasSubstr("Hi"), HasSubstr("tool_call_request"), HasSubstr("Allow rm?")));
  EXPECT_THAT(shapes(R"({"rm":{"approved":["c1"],"rejected":[]}})").back(), HasSubstr(R"("answer":true)"));
  EXPECT_THAT(shapes(R"({"rm":{"approved":true,"rejected":["c1"],"rejection_messages":{"c1":"mine"}}})").back(),
              AllOf(HasSubstr(R"("answer":false)"), HasSubstr(R"("reason":"mine")")));
  EXPECT_THAT(shapes(R"({"rm":{"approved":[],"rejected":true}})").back(), HasSubstr(R"("answer":false)"));
  EXPECT_THAT(shapes(R"({"rm":{"approved":["other"]}})").back(), HasSubstr("Allow rm?"));
  const auto listed = [&](const std::string& tool) {
    return shapes(R"({},"function_tool_approvals":[{"tool_key":"ls","decision":{"approved":true}},{"tool_key":")" +
                  tool + R"(","decision":{"approved":[],"rejected":["c1"]}}])");
  };
  EXPECT_THAT(listed("rm").back(), HasSubstr(R"("answer":false)"));
  EXPECT_THAT(listed("mv").back(), HasSubstr("Allow rm?"));
  EXPECT_THAT(Shapes(Read(State("{}", R"({"type":"tool_approval_item","tool_name":"ls","raw_item":{"call_id":"c9"}})"))
                         .only()
                         .events)
                  .back(),
              HasSubstr("Allow ls?"));
}

// The result of a call of `rm` in a run with these approvals.
std::string RejectedResult(const std::string& approvals, const std::string& output) {
  const std::string item = R"({"call_id":"c1","name":"rm","type":"function_call","arguments":"{}"})";
  const std::string result = R"({"call_id":"c1","type":"function_call_output","output":")" + output + "\"}";
  return R"({"$schemaVersion":"1.13","original_input":"Hi","context":{"approvals":)" + approvals +
         R"(},"session_items":[{"type":"tool_call_item","raw_item":)" + item +
         R"(},{"type":"tool_approval_item","tool_name":"rm","raw_item":)" + item +
         R"(},{"type":"tool_call_output_item","raw_item":)" + result + "}]}\n";
}

TEST(RunStateTest, KnowsTheResultsOfRejectedCallsByTheDecisions) {
  const auto result = [](const std::string& approvals, const std::string& output) {
    ReadSource read = Read(RejectedResult(approvals, output));
    EXPECT_EQ(read.only().written, RejectedResult(approvals, output));
    return std::get<ToolCallResponse>(read.only().events.back().body);
  };
  const auto reason = [&](const std::string& approvals, const std::string& output) {
    const ToolCallResponse denied = result(approvals, output);
    EXPECT_TRUE(denied.is_error);
    return denied.denied.value_or(Denial{.reason = "not denied"}).reason;
  };
  const std::string one = R"({"rm":{"rejected":["c1"],"rejection_messages":{"c1":"Too much money"}}})";
  EXPECT_EQ(reason(one, "Too much money"), "Too much money");
  EXPECT_EQ(reason(one, "Sorry: not approved"), "Too much money") << "as the application has put it";
  EXPECT_EQ(reason(R"({"rm":{"rejected":["c1"]}})", "Tool execution was not approved."), std::nullopt);
  const std::string all = R"({"rm":{"rejected":true,"sticky_rejection_message":"Never pay"}})";
  EXPECT_EQ(reason(all, "Never pay"), "Never pay");
  EXPECT_EQ(reason(all, "Tool execution was not approved."), "Never pay");
  EXPECT_EQ(
      reason(R"({"rm":{"rejected":true,"sticky_rejection_message":"Never","rejection_messages":{"c1":"No"}}})", "No"),
      "No");
  EXPECT_FALSE(result(all, "Done").denied) << "it ran before all were rejected";
  EXPECT_FALSE(result(R"({"rm":{"approved":["c1"],"rejected":true}})", "Done").is_error);
  EXPECT_FALSE(result(R"({"ls":{"rejected":["c1"]}})", "Done").denied);
}

// The last event of a run that asked for the approval of this item; `items`: what came before.
std::string LastAfterApproval(const std::string& context, const std::string& raw, const std::string& items) {
  return Shapes(Read(R"({"$schemaVersion":"1.15","original_input":"Hi","context":{)" + context +
                     R"(},"session_items":[)" + items + R"({"type":"tool_approval_item","raw_item":)" + raw + "}]}\n")
                    .only()
                    .events)
      .back();
}

// Names of tools in a namespace are qualified there, and those of tools that are loaded late have a mark.
TEST(RunStateTest, FindsDecisionsAboutToolsInNamespaces) {
  const auto decided = [](const std::string& key, const std::string& space) {
    return LastAfterApproval(R"("approvals":{")" + key + R"(":{"approved":["c1"],"rejected":[]}})",
                             R"({"type":"function_call","call_id":"c1","name":"find","arguments":"{}")" + space + "}",
                             "");
  };
  const std::string of_crm = R"(,"namespace":"crm")";
  EXPECT_THAT(decided("crm.find", of_crm), HasSubstr(R"("answer":true)"));
  EXPECT_THAT(decided("find", of_crm), HasSubstr("Allow find?")) << "another tool";
  EXPECT_THAT(decided("deferred_top_level:find", ""), HasSubstr(R"("answer":true)"));
  EXPECT_THAT(decided("deferred_top_level:find", R"(,"namespace":"find")"), HasSubstr(R"("answer":true)"));
}

TEST(RunStateTest, AsksOnceForWhatAServerIsToRun) {
  const std::string raw =
      R"({"type":"mcp_approval_request","id":"m1","name":"rm","server_label":"files","arguments":"{}"})";
  const std::string item = R"({"type":"mcp_approval_request_item","raw_item":)" + raw + "}";
  const auto decided = [&](const std::string& identity, const std::string& decision) {
    return LastAfterApproval(
        R"("approvals":{},"hosted_mcp_approvals":[{"identity":)" + identity + R"(,"decision":)" + decision + "}]", raw,
        item + ",");
  };
  const std::string request = R"({"type":"request","request_id":"m1"})";
  EXPECT_THAT(decided(request, R"({"approved":["m1"],"rejected":[]})"), HasSubstr(R"("answer":true)"));
  EXPECT_THAT(decided(request, R"({"approved":[],"rejected":["m1"],"rejection_messages":{"m1":"No."}})"),
              AllOf(HasSubstr(R"("answer":false)"), HasSubstr(R"("reason":"No.")")));
  EXPECT_THAT(decided(R"({"type":"server_tool","server_label":"files","tool_name":"rm"})",
                      R"({"approved":true,"rejected":[]})"),
              HasSubstr(R"("answer":true)"));
  EXPECT_THAT(decided(R"({"type":"server_tool","server_label":"others","tool_name":"rm"})",
                      R"({"approved":true,"rejected":[]})"),
              HasSubstr("Allow rm?"));
  EXPECT_THAT(LastAfterApproval(R"("approvals":{"rm":{"approved":["m1"]}})", raw, item + ","),
              HasSubstr(R"("answer":true)"))
      << "before version 1.14";

  const std::string answer =
      R"({"type":"x","raw_item":{"type":"mcp_approval_response","approval_request_id":"m1","approve":true}})";
  const std::string state = R"({"$schemaVersion":"1.15","original_input":"Hi","context":{"hosted_mcp_approvals":[{)"
                            R"("identity":)" +
                            request + R"(,"decision":{"approved":["m1"]}}]},"session_items":[)" + item +
                            R"(,{"type":"tool_approval_item","raw_item":)" + raw + "}," + answer + "]}";
  EXPECT_THAT(Shapes(Read(state).only().events),
              ElementsAre(kTurn, HasSubstr("Hi"), HasSubstr("Allow rm?"), HasSubstr(R"("answer":true)")))
      << "asked and answered once";
}

TEST(RunStateTest, GivesTheMessageOfARejectionOfAllCallsAsItsReason) {
  const auto events =
      Read(State(R"({"rm":{"approved":[],"rejected":true,"sticky_rejection_message":"Never pay"}})", "")).only().events;
  EXPECT_THAT(Shapes(events).back(), AllOf(HasSubstr(R"("answer":false)"), HasSubstr(R"("reason":"Never pay")")));
}

TEST(RunStateTest, TakesAnItemThatTheInputHasTooOnce) {
  EXPECT_THAT(Shapes(Read(R"({"$schemaVersion":"1.13","original_input":[{"role":"user","content":"Hi"}],)"
                          R"("session_items":[{"type":"x","raw_item":{"role":"user","content":"Hi"}}]})")
                         .only()
                         .events),
              ElementsAre(kTurn, HasSubstr("Hi")));
}

TEST(RunStateTest, KeepsRunStatesThatItCannotRead) {
  const std::string sample = State("{}", "");
  for (std::size_t size = 0; size <= sample.size(); size += kByteStep) {
    const std::string text = sample.substr(0, size);
    ASSERT_EQ(Read(text).only().written, text) << size;
  }
  for (std::size_t at = 0; at < sample.size(); at += kByteStep) {
    for (const int flip : {0x01, 0x80}) {
      std::string text = sample;
      text[at] = static_cast<char>(text[at] ^ flip);
      ASSERT_EQ(Read(text).only().written, text) << at;
    }
  }
  ExpectThatUnknownKindsAreKept(kOpenAiAgentsFormat, "run.json", sample);
  EXPECT_THAT(Shapes(Read(R"({"$schemaVersion":"999","untrusted":"x"})").only().events), ElementsAre("foreign"));
}

}  // namespace
}  // namespace turnlog::run_state_test
