// RunState documents of the OpenAI Agents SDK for JavaScript, which are those of Python's with other names.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/openai_agents/format.h"
#include "tests/migrate/read_source.h"
#include "tests/support/sanitized.h"

namespace turnlog::javascript_run_state_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTurn = R"({"type":"turn_start"})";
constexpr std::string_view kCall =
    R"({"type":"function_call","callId":"c1","name":"rm","arguments":"{\"path\":\"/\"}"})";

ReadSource Read(const std::string& text) { return ReadFiles(kOpenAiAgentsFormat, {{"run.json", text}}); }

struct State {
  std::string version = "1.7";
  std::string input = R"("Hi")";
  std::string context = R"("approvals":{})";
  std::string interruptions{}, items{};

  // The fields in the order in which the SDK writes them.
  std::string Text() const {
    return fmt::format(
        R"({{"$schemaVersion":"{}","currentTurn":1,"currentAgent":{{"name":"A"}},"originalInput":{},"modelResponses":[],)"
        R"("context":{{"usage":{{}},{},"context":{{}}}},"maxTurns":10,"currentStep":{{"type":"next_step_interruption",)"
        R"("data":{{"interruptions":[{}]}}}},"generatedItems":[{}],"lastProcessedResponse":{{"newItems":[]}},"trace":null}})",
        version, input, context, interruptions, items);
  }
  // Each document is written as it was read.
  std::vector<std::string> Shown() const {
    ReadSource read = Read(Text());
    EXPECT_EQ(read.only().written, Text());
    return Shapes(read.only().events);
  }
};

std::string Item(std::string_view type, std::string_view raw) {
  return fmt::format(R"({{"type":"{}","rawItem":{},"agent":{{"name":"A"}}}})", type, raw);
}

std::string Approval(std::string_view raw, std::string_view tool) {
  return fmt::format(R"({{"type":"tool_approval_item","rawItem":{},"agent":{{"name":"A"}},"toolName":"{}"}})", raw,
                     tool);
}

std::string Asked() { return Item("tool_call_item", kCall) + "," + Approval(kCall, "rm"); }

TEST(JavaScriptRunStateTest, BecomesWhatPythonsDoes) {
  const State state{
      .input = R"([{"role":"user","content":"Hi"},{"role":"user","content":[{"type":"input_text","text":"there"}]}])",
      .items =
          Item("reasoning_item", R"({"id":"rs_1","type":"reasoning","content":[{"type":"input_text","text":"Hm"}],)"
                                 R"("providerData":{"id":"rs_1","encrypted_content":"gA=="}})") +
          "," + Item("tool_call_item", kCall) + "," +
          Item("tool_call_output_item", R"({"type":"function_call_result","name":"rm","callId":"c1",)"
                                        R"("status":"completed","output":{"type":"text","text":"gone"}})") +
          "," +
          Item("handoff_call_item",
               R"({"type":"function_call","callId":"h1","name":"transfer_to_b","arguments":"{}"})") +
          "," +
          R"({"type":"handoff_output_item","rawItem":{"type":"function_call_result","name":"transfer_to_b","callId":"h1",)"
          R"("status":"completed","output":{"type":"text","text":"B"}},"sourceAgent":{"name":"A"},"targetAgent":{"name":"B"}},)" +
          Item("message_output_item", R"({"type":"message","role":"assistant","status":"completed",)"
                                      R"("content":[{"type":"output_text","text":"Done"}]})")};
  EXPECT_THAT(
      state.Shown(),
      ElementsAre(kTurn, HasSubstr("Hi"), kTurn, HasSubstr("there"), R"({"type":"chat_response","reasoning":"Hm"})",
                  R"({"type":"tool_call_request","id":"c1","name":"rm","arguments":{"path":"/"}})",
                  R"({"type":"tool_call_response","id":"c1","content":"gone","is_error":false})",
                  HasSubstr("transfer_to_b"),
                  R"({"type":"tool_call_response","id":"h1","content":"B","is_error":false})",
                  R"({"type":"chat_response","message":"Done"})"));
  EXPECT_EQ(Read(state.Text()).only().events[4].metadata.text(), R"({"item_id":"rs_1","opaque":"gA=="})");
}

TEST(JavaScriptRunStateTest, ConnectsTheCallsOfOtherTools) {
  const State state{
      .items =
          Item("tool_call_item", R"({"type":"shell_call","callId":"s1","action":{"commands":["ls"]}})") + "," +
          Item("tool_call_output_item", R"({"type":"shell_call_output","callId":"s1","output":[{"stdout":"a"}]})") +
          "," + Item("tool_call_item", R"({"type":"apply_patch_call","callId":"p1","operation":{"path":"a"}})") + "," +
          Item("tool_call_output_item",
               R"({"type":"apply_patch_call_output","callId":"p1","status":"failed","output":"no"})") +
          "," +
          Item("tool_search_call_item",
               R"({"type":"tool_search_call","arguments":{"q":1},"providerData":{"call_id":"t1"}})") +
          "," +
          Item("tool_call_output_item",
               R"({"type":"function_call_result","callId":"f1","output":[{"type":"input_text","text":"in"}]})")};
  EXPECT_THAT(
      state.Shown(),
      ElementsAre(kTurn, HasSubstr("Hi"),
                  R"({"type":"tool_call_request","id":"s1","name":"shell","arguments":{"commands":["ls"]}})",
                  R"({"type":"tool_call_response","id":"s1","content":"[{\"stdout\":\"a\"}]","is_error":false})",
                  R"({"type":"tool_call_request","id":"p1","name":"apply_patch","arguments":{"path":"a"}})",
                  R"({"type":"tool_call_response","id":"p1","content":"no","is_error":true})",
                  R"({"type":"tool_call_request","id":"t1","name":"tool_search","arguments":{"q":1}})",
                  R"({"type":"tool_call_response","id":"f1","content":"in","is_error":false})"));
}

// It would not be valid, and nothing else of the document would be read.
TEST(JavaScriptRunStateTest, LeavesOutACallWithAnEmptyId) {
  const State state{.items = Item("tool_call_item", R"({"type":"program","callId":"","code":"1"})") + "," +
                             Item("tool_call_output_item", R"({"type":"program_output","callId":"","result":"1"})") +
                             "," + Item("tool_call_item", kCall)};
  EXPECT_THAT(state.Shown(), ElementsAre(kTurn, HasSubstr("Hi"), HasSubstr(R"("id":"c1")")));
}

TEST(JavaScriptRunStateTest, AsksForApprovals) {
  const auto last = [](const std::string& version, const std::string& context) {
    return State{.version = version, .context = context, .items = Asked()}.Shown().back();
  };
  const auto approved = HasSubstr(R"("answer":true)"), rejected = HasSubstr(R"("answer":false)");
  EXPECT_THAT(last("1.0", R"("approvals":{})"), HasSubstr("Allow rm?"));
  EXPECT_THAT(last("1.0", R"("approvals":{"rm":{"approved":["c1"],"rejected":[]}})"), approved);
  EXPECT_THAT(last("1.0", R"("approvals":{"rm":{"approved":true,"rejected":[]}})"), approved);
  EXPECT_THAT(last("1.7", R"("approvals":{"rm":{"approved":[],"rejected":["c1"],"messages":{"c1":"mine"}}})"),
              AllOf(rejected, HasSubstr(R"("reason":"mine")")));
  EXPECT_THAT(last("1.8", R"("approvals":{"rm":{"approved":false,"rejected":true,"stickyRejectMessage":"Never"}})"),
              AllOf(rejected, HasSubstr(R"("reason":"Never")")));
  EXPECT_THAT(last("1.0", R"("approvals":{"rm":{"approved":["c1"],"rejected":["c1"]}})"), approved);
  EXPECT_THAT(last("1.18", R"("approvals":{"rm":{"approved":true,"rejected":["c1"]}})"), approved);
  EXPECT_THAT(last("1.19", R"("approvals":{"rm":{"approved":true,"rejected":["c1"]}})"), rejected);
  const State waiting{.interruptions = Approval(R"({"type":"shell_call","callId":"s1"})", "shell"), .items = Asked()};
  EXPECT_THAT(waiting.Shown().back(), AllOf(HasSubstr("Allow shell?"), HasSubstr("s1.approval.1")));
}

// Since version 1.16 those about functions are listed by agents, under names that are lists.
TEST(JavaScriptRunStateTest, FindsDecisionsOfAgents) {
  const auto last = [](const std::string& agent, const std::string& key, const std::string& more) {
    const std::string record = R"({"approved":["c1"],"rejected":[]})";
    return State{.version = "1.16",
                 .context = fmt::format(
                     R"("approvals":{{}},"functionApprovals":[{{"agentIdentity":"{}","approvals":{{"{}":{}}}}}]{})",
                     agent, key, record, more),
                 .items = Asked()}
        .Shown()
        .back();
  };
  const auto approved = HasSubstr(R"("answer":true)");
  EXPECT_THAT(last("A", R"([\"bare\",\"rm\"])", ""), approved);
  EXPECT_THAT(last("A", R"([\"deferred_top_level\",\"rm\"])", ""), approved);
  EXPECT_THAT(last("A", R"([\"namespaced\",\"files\",\"rm\"])", ""), HasSubstr("Allow rm?"));
  EXPECT_THAT(last("B", R"([\"bare\",\"rm\"])", ""), HasSubstr("Allow rm?")) << "another agent's";
  EXPECT_THAT(last("B", R"([\"bare\",\"rm\"])", R"(,"legacyFunctionApprovals":{"rm":{"approved":true,"rejected":[]}})"),
              approved);
}

// The item has the qualified name of the tool.
TEST(JavaScriptRunStateTest, FindsDecisionsAboutToolsInNamespaces) {
  const std::string call = R"({"type":"function_call","callId":"c1","name":"find","namespace":"crm","arguments":"{}"})";
  const State named{.context = R"("approvals":{"crm.find":{"approved":["c1"],"rejected":[]}})",
                    .items = Approval(call, "crm.find")};
  EXPECT_THAT(named.Shown().back(), HasSubstr(R"("answer":true)"));
  const State listed{.version = "1.16",
                     .context = R"("approvals":{},"functionApprovals":[{"agentIdentity":"A","approvals":)"
                                R"({"[\"namespaced\",\"crm\",\"find\"]":{"approved":["c1"],"rejected":[]}}}])",
                     .items = Approval(call, "crm.find")};
  EXPECT_THAT(listed.Shown().back(), HasSubstr(R"("answer":true)"));
}

TEST(JavaScriptRunStateTest, DeniesTheResultsOfRejectedCalls) {
  const auto result = [](const std::string& context, const std::string& output) {
    const State state{
        .context = context,
        .items = Asked() + "," +
                 Item("tool_call_output_item", fmt::format(R"({{"type":"function_call_result","callId":"c1",)"
                                                           R"("output":{{"type":"text","text":"{}"}}}})",
                                                           output))};
    return std::get<ToolCallResponse>(Read(state.Text()).only().events.back().body);
  };
  const std::string mine = R"("approvals":{"rm":{"approved":[],"rejected":["c1"],"messages":{"c1":"mine"}}})";
  const ToolCallResponse denied = result(mine, "as the application has put it");
  ASSERT_TRUE(denied.denied);
  EXPECT_EQ(denied.denied->reason, "mine");
  EXPECT_TRUE(result(R"("approvals":{})", "Tool execution was not approved.").denied);
  EXPECT_FALSE(result(R"("approvals":{"rm":{"approved":["c1"],"rejected":[]}})", "Done").denied);

  const std::string click = R"({"type":"computer_call","callId":"k1","action":{"type":"screenshot"}})";
  const State computer{
      .context = R"("approvals":{"computer_use_preview":{"approved":[],"rejected":["k1"]}})",
      .items = Item("tool_call_item", click) + "," + Approval(click, "computer_use_preview") + "," +
               Item("tool_call_output_item", R"({"type":"computer_call_result","callId":"k1",)"
                                             R"("output":{"type":"computer_screenshot","data":"x"}})")};
  ReadSource read = Read(computer.Text());
  const auto screenshot = std::get<ToolCallResponse>(read.only().events.back().body);
  EXPECT_EQ(screenshot.content, "[computer_screenshot]");
  EXPECT_TRUE(screenshot.denied);
}

std::string Hosted(std::string_view name, std::string_view data) {
  return fmt::format(R"({{"id":"m1","type":"hosted_tool_call","name":"{}","status":"completed","providerData":{}}})",
                     name, data);
}

TEST(JavaScriptRunStateTest, AsksOnceForWhatAServerIsToRun) {
  const std::string data =
      R"({"id":"m1","type":"mcp_approval_request","name":"rm","arguments":"{}","server_label":"files"})";
  const std::string items =
      Item("tool_call_item", Hosted("mcp_approval_request", data)) + "," + Approval(Hosted("rm", data), "rm");
  const auto shown = [&](const std::string& context, const std::string& more) {
    return State{.version = "1.18", .context = R"("approvals":{})" + context, .items = items + more}.Shown();
  };
  const auto asked = AllOf(HasSubstr("Allow rm?"), HasSubstr("m1.approval.1"));
  EXPECT_THAT(shown("", ""), ElementsAre(kTurn, HasSubstr("Hi"), asked));
  const auto decided = [&](const std::string& server, const std::string& record) {
    return shown(fmt::format(R"(,"hostedMcpApprovals":{{"[\"hosted_mcp\",\"{}\",\"rm\"]":{}}})", server, record), "")
        .back();
  };
  EXPECT_THAT(decided("files", R"({"approved":["m1"],"rejected":[]})"), HasSubstr(R"("answer":true)"));
  EXPECT_THAT(decided("files", R"({"approved":[],"rejected":["m1"],"messages":{"m1":"No."}})"),
              AllOf(HasSubstr(R"("answer":false)"), HasSubstr(R"("reason":"No.")")));
  EXPECT_THAT(decided("others", R"({"approved":true,"rejected":[]})"), HasSubstr("Allow rm?"));
  // Before version 1.18.
  const State named{.context = R"("approvals":{"rm":{"approved":["m1"],"rejected":[]}})", .items = items};
  EXPECT_THAT(named.Shown().back(), HasSubstr(R"("answer":true)"));

  for (const std::string id : {"approval_request_id", "approvalRequestId"}) {
    const std::string answer =
        "," + Item("tool_call_item", R"({"type":"hosted_tool_call","name":"mcp_approval_response",)"
                                     R"("providerData":{"approve":true,")" +
                                         id + R"(":"m1"}})");
    EXPECT_THAT(
        shown(R"(,"hostedMcpApprovals":{"[\"hosted_mcp\",\"files\",\"rm\"]":{"approved":["m1"],"rejected":[]}})",
              answer),
        ElementsAre(kTurn, HasSubstr("Hi"), asked, HasSubstr(R"("answer":true)")));
  }
}

TEST(JavaScriptRunStateTest, KeepsWhatItCannotRead) {
  const std::string sample =
      State{.interruptions = Approval(kCall, "rm"),
            .items = Asked() + "," + Item("tool_call_item", Hosted("web_search_call", R"({"type":"web_search_call"})"))}
          .Text();
  for (std::size_t size = 0; size <= sample.size(); size += kByteStep) {
    const std::string text = sample.substr(0, size);
    ASSERT_EQ(Read(text).only().written, text) << size;
  }
  for (std::size_t at = 0; at < sample.size(); at += kByteStep) {
    std::string text = sample;
    text[at] = static_cast<char>(text[at] ^ 1);
    ASSERT_EQ(Read(text).only().written, text) << at;
  }
  ExpectThatUnknownKindsAreKept(kOpenAiAgentsFormat, "run.json", sample);
}

TEST(JavaScriptRunStateTest, IsRecognisedByItsFields) {
  const auto match = [](std::string_view head) { return kOpenAiAgentsFormat.import.match_file({"a.json", head}); };
  EXPECT_EQ(match(State().Text()), Match::kByContent);
  EXPECT_EQ(match(R"({"$schemaVersion":"1.5","current_turn":0,"current_agent":{"na)"), Match::kByContent);
  EXPECT_EQ(match(R"({"$schemaVersion":"1.0.0","repo_name":"x","summary":"current_turn"})"), Match::kByName);
}

}  // namespace
}  // namespace turnlog::javascript_run_state_test
