#include "tests/providers/request_lint.h"

namespace turnlog::chat_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Check(const std::string& messages) {
  return Lint(Provider::kOpenAiChat, R"({"messages":[{"role":"user","content":"Hi"})" + messages + "]}");
}
std::string Call(const std::string& id, const std::string& arguments = "{}") {
  return R"({"id":")" + id + R"(","type":"function","function":{"name":"ls","arguments":")" + arguments + R"("}})";
}
std::string Assistant(const std::string& calls) {
  return R"(,{"role":"assistant","content":null,"tool_calls":[)" + calls + "]}";
}
std::string Tool(const std::string& id) { return R"(,{"role":"tool","tool_call_id":")" + id + R"(","content":""})"; }
const std::string kDone = R"(,{"role":"assistant","content":"Done."})";

TEST(OpenAiChat, AcceptsCallsThatAreAnsweredAtOnce) {
  EXPECT_THAT(Check(Assistant(Call("a") + "," + Call("b")) + Tool("b") + Tool("a") + kDone), IsEmpty());
  EXPECT_THAT(Check(Assistant(Call("a")) + Tool("a") + Assistant(Call("a")) + Tool("a")), IsEmpty())
      << "ids may come again";
}

TEST(OpenAiChat, FindsCallsThatAreNotAnsweredAtOnce) {
  EXPECT_THAT(Check(Assistant(Call("a") + "," + Call("b")) + Tool("a") + kDone + Tool("b")),
              ElementsAre("chat-missing-result at /messages/1/tool_calls/1", "chat-stray-result at /messages/4"));
  EXPECT_THAT(Check(Assistant(Call("a"))), ElementsAre("chat-missing-result at /messages/1/tool_calls/0"));
}

TEST(OpenAiChat, FindsResultsThatAnswerNothing) {
  EXPECT_THAT(Check(Tool("a")), ElementsAre("chat-stray-result at /messages/1"));
  EXPECT_THAT(Check(Assistant(Call("a")) + Tool("a") + Tool("a")), ElementsAre("chat-stray-result at /messages/3"));
}

TEST(OpenAiChat, ChecksMessagesAndCalls) {
  EXPECT_THAT(Check(R"(,{"role":"assistant","content":"a","tool_calls":[]})"),
              ElementsAre("chat-empty-calls at /messages/1/tool_calls"));
  EXPECT_THAT(Check(R"(,{"role":"assistant","content":null})"), ElementsAre("empty-message at /messages/1"));
  EXPECT_THAT(Check(R"(,{"role":"model","content":"a"})"), ElementsAre("shape at /messages/1"));
  EXPECT_THAT(Check(Assistant(Call("a", "{")) + Tool("a")),
              ElementsAre("chat-arguments at /messages/1/tool_calls/0/function/arguments"));
  const std::string id(41, 'x');
  EXPECT_THAT(Check(Assistant(Call(id)) + Tool(id)), ElementsAre("call-id at /messages/1/tool_calls/0/id"));
  EXPECT_THAT(Check(Assistant(Call("a") + "," + Call("a")) + Tool("a")),
              ElementsAre("duplicate-call-id at /messages/1/tool_calls/1"));
}

TEST(OpenAiChat, FindsPartsOfOtherApis) {
  EXPECT_THAT(
      Check(R"(,{"role":"user","content":[{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":"t"}]})"),
      ElementsAre("shape at /messages/1/content/1"));
  EXPECT_THAT(Check(R"(,{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]})"),
              ElementsAre("shape at /messages/1/content/0"));
  EXPECT_THAT(Check(R"(,{"role":"user","content":[{"text":"a"},{"type":"input_text","text":"a"}]})"),
              ElementsAre("shape at /messages/1/content/0", "shape at /messages/1/content/1"));
  EXPECT_THAT(Check(R"(,{"role":"user","content":[{"type":"of_next_month"}]})"), IsEmpty());
}

}  // namespace
}  // namespace turnlog::chat_test
