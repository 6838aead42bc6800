#include "base/base64.h"
#include "tests/providers/request_lint.h"

namespace turnlog::responses_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Check(const std::string& items, const std::string& rest = R"("store":false)") {
  return Lint(Provider::kOpenAiResponses, R"({"input":[{"role":"user","content":"Hi"})" + items + "]," + rest + "}");
}
std::string Call(const std::string& id, const std::string& more = {}) {
  return R"(,{"type":"function_call","call_id":")" + id + R"(","name":"ls","arguments":"{}")" + more + "}";
}
std::string Output(const std::string& id, const std::string& type = "function_call_output") {
  return R"(,{"type":")" + type + R"(","call_id":")" + id + R"(","output":"x"})";
}
std::string Token() {
  std::string token;
  AppendBase64("\x80" + std::string(8 + 16 + 32 + 32, 'x'), token);
  return token;
}
std::string Reasoning(const std::string& sealed = Token(), const std::string& more = R"("summary":[])") {
  return R"(,{"type":"reasoning","encrypted_content":")" + sealed + "\"," + more + "}";
}
const std::string kMessage = R"(,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]})";

TEST(OpenAiResponses, AcceptsPairsThatAreNotAdjacent) {
  EXPECT_THAT(Check(Reasoning() + Call("a") + Call("b") + Output("b") + kMessage + Output("a")), IsEmpty());
}

TEST(OpenAiResponses, FindsHalvesOfPairs) {
  EXPECT_THAT(Check(Call("a")), ElementsAre("responses-missing-output at /input/1"));
  EXPECT_THAT(Check(Output("a")), ElementsAre("responses-stray-output at /input/1"));
  EXPECT_THAT(Check(Output("a"), R"("previous_response_id":"resp_1")"), IsEmpty()) << "its call is on the server";
  EXPECT_THAT(Check(Call("a") + Output("a") + Output("a")), ElementsAre("responses-stray-output at /input/3"));
  EXPECT_THAT(Check(Call("a") + Output("a", "custom_tool_call_output")),
              ElementsAre("responses-output-type at /input/2"));
  EXPECT_THAT(Check(Call("a") + Call("a") + Output("a")), ElementsAre("duplicate-call-id at /input/2"));
  EXPECT_THAT(Check(R"(,{"type":"local_shell_call","call_id":"a","action":{}})" + Output("a")), IsEmpty());
}

TEST(OpenAiResponses, WantsReasoningBeforeItsItem) {
  EXPECT_THAT(Check(Reasoning()), ElementsAre("responses-reasoning-alone at /input/1"));
  EXPECT_THAT(Check(Reasoning() + R"(,{"role":"user","content":"x"})"),
              ElementsAre("responses-reasoning-alone at /input/1"));
  EXPECT_THAT(Check(Reasoning() + Reasoning() + kMessage), IsEmpty());
}

TEST(OpenAiResponses, WantsTheReasoningOfACallWithAnId) {
  const std::string call = Call("a", R"(,"id":"fc_1")") + Output("a");
  EXPECT_THAT(Check(call, R"("model":"gpt-5")"), ElementsAre("responses-call-without-reasoning at /input/1"));
  EXPECT_THAT(Check(call, R"("model":"gpt-4.1")"), IsEmpty());
  EXPECT_THAT(Check(Reasoning() + call, R"("model":"gpt-5")"), IsEmpty());
}

TEST(OpenAiResponses, ChecksTheFieldsOfReasoning) {
  EXPECT_THAT(Check(Reasoning(Token(), R"("id":"rs_1")") + kMessage), ElementsAre("responses-summary at /input/1"));
  EXPECT_THAT(Check(Reasoning(Token(), R"("summary":[],"content":[{"type":"text","text":"a"}])") + kMessage),
              ElementsAre("responses-reasoning-content at /input/1"));
  EXPECT_THAT(Check(Reasoning("") + kMessage), ElementsAre("responses-not-stored at /input/1"));
  EXPECT_THAT(Check(Reasoning("") + kMessage, R"("store":true)"), IsEmpty());
  EXPECT_THAT(Check(R"(,{"type":"item_reference","id":"rs_1"})"), ElementsAre("responses-not-stored at /input/1"));
  EXPECT_THAT(Check(Reasoning(Token().substr(0, Token().size() - 4)) + kMessage),
              ElementsAre("opaque-altered at /input/1/encrypted_content"));
  EXPECT_THAT(Check(Reasoning("EgE4") + kMessage), ElementsAre("opaque-foreign at /input/1/encrypted_content"));
}

TEST(OpenAiResponses, ChecksItems) {
  const std::string same = R"(,{"type":"message","id":"msg_1","role":"assistant","content":"a"})";
  EXPECT_THAT(Check(same + same), ElementsAre("responses-duplicate-item at /input/2"));
  EXPECT_THAT(Check(R"(,{"role":"tool","content":"a"})"), ElementsAre("shape at /input/1"));
  EXPECT_THAT(Check(R"(,{"role":"user","content":[]})"), ElementsAre("empty-message at /input/1"));
}

TEST(OpenAiResponses, FindsItemsAndPartsOfOtherApis) {
  EXPECT_THAT(Check(R"(,{"type":"tool_result","tool_use_id":"t"})"), ElementsAre("shape at /input/1"));
  EXPECT_THAT(
      Check(R"(,{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"tool_use"},{"type":"text"}]})"),
      ElementsAre("shape at /input/1/content/1", "shape at /input/1/content/2"));
  EXPECT_THAT(Check(R"(,{"type":"of_next_month"})"), IsEmpty());
}

}  // namespace
}  // namespace turnlog::responses_test
