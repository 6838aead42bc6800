#include "base/base64.h"
#include "tests/providers/request_lint.h"

namespace turnlog::anthropic_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> Check(const std::string& messages, const std::string& rest = R"("tools":[{"name":"ls"}])",
                               std::string_view model = {}) {
  return Lint(Provider::kAnthropic, R"({"messages":[)" + messages + "]," + rest + "}", model);
}

const std::string kUser = R"({"role":"user","content":"Hi"})";

std::string Assistant(const std::string& blocks) { return R"(,{"role":"assistant","content":[)" + blocks + "]}"; }
std::string User(const std::string& blocks) { return R"(,{"role":"user","content":[)" + blocks + "]}"; }
std::string Call(const std::string& id) { return R"({"type":"tool_use","id":")" + id + R"(","name":"ls","input":{}})"; }
std::string Result(const std::string& id) { return R"({"type":"tool_result","tool_use_id":")" + id + R"("})"; }
const std::string kText = R"({"type":"text","text":"a"})";

// One protobuf field with this text.
std::string Signature(const std::string& text = "sealed") {
  std::string base64;
  AppendBase64(std::string("\x12") + static_cast<char>(text.size()) + text, base64);
  return base64;
}
std::string Thinking(const std::string& text, const std::string& signature) {
  return R"({"type":"thinking","thinking":")" + text + R"(","signature":")" + signature + R"("})";
}

TEST(Anthropic, AcceptsParallelCallsWithTheirResultsFirst) {
  EXPECT_THAT(Check(kUser + Assistant(Thinking("Hm.", Signature()) + "," + kText + "," + Call("a") + "," + Call("b")) +
                    User(Result("b") + "," + Result("a") + "," + kText)),
              IsEmpty());
}

TEST(Anthropic, FindsACallWithoutResult) {
  EXPECT_THAT(Check(kUser + Assistant(Call("a") + "," + Call("b")) + User(Result("a"))),
              ElementsAre("anthropic-missing-result at /messages/1/content/1"));
  EXPECT_THAT(Check(kUser + Assistant(Call("a")) + User(kText) + Assistant(kText) + User(Result("a"))),
              ElementsAre("anthropic-missing-result at /messages/1/content/0",
                          "anthropic-stray-result at /messages/4/content/0"));
  EXPECT_THAT(Check(kUser + Assistant(Call("a"))),
              ElementsAre("anthropic-prefill at /messages/1", "anthropic-missing-result at /messages/1/content/0"));
}

TEST(Anthropic, FindsResultsThatAnswerNothing) {
  EXPECT_THAT(Check(R"({"role":"user","content":[)" + Result("a") + "," + kText + "]}"),
              ElementsAre("anthropic-stray-result at /messages/0/content/0"));
  EXPECT_THAT(Check(kUser + Assistant(Call("a")) + User(Result("a") + "," + Result("a"))),
              ElementsAre("anthropic-repeated-result at /messages/2/content/1"));
}

TEST(Anthropic, WantsResultsFirst) {
  EXPECT_THAT(Check(kUser + Assistant(Call("a")) + User(kText + "," + Result("a"))),
              ElementsAre("anthropic-results-first at /messages/2/content/1"));
}

TEST(Anthropic, JoinsMessagesOfOneRole) {
  EXPECT_THAT(Check(kUser + Assistant(Call("a")) + Assistant(Call("b")) + User(Result("a")) + User(Result("b"))),
              IsEmpty());
  EXPECT_THAT(Check(kUser + Assistant(Call("a")) + User(kText) + User(Result("a"))),
              ElementsAre("anthropic-results-first at /messages/3/content/0"));
}

TEST(Anthropic, ChecksIdsAndNames) {
  EXPECT_THAT(Check(kUser + Assistant(Call("a.b")) + User(Result("a.b"))),
              ElementsAre("call-id at /messages/1/content/0/id"));
  EXPECT_THAT(Check(kUser + Assistant(Call("a")) + User(Result("a")) + Assistant(Call("a")) + User(Result("a"))),
              ElementsAre("duplicate-call-id at /messages/3/content/0"));
  EXPECT_THAT(
      Check(kUser + Assistant(R"({"type":"tool_use","id":"a","name":"my tool","input":[]})") + User(Result("a"))),
      ElementsAre("shape at /messages/1/content/0", "tool-name at /messages/1/content/0/name"));
}

TEST(Anthropic, WantsServerCallsBeforeTheirResultsInOneMessage) {
  const std::string call = R"({"type":"server_tool_use","id":"s","name":"web_search","input":{}})";
  const std::string result = R"({"type":"web_search_tool_result","tool_use_id":"s","content":[]})";
  EXPECT_THAT(Check(kUser + Assistant(call + "," + result) + User(kText)), IsEmpty());
  EXPECT_THAT(Check(kUser + Assistant(result + "," + call) + User(kText)),
              ElementsAre("anthropic-server-result at /messages/1/content/0",
                          "anthropic-server-result at /messages/1/content/1"));
}

TEST(Anthropic, WantsToolsOfAWholeRequest) {
  const std::string messages = kUser + Assistant(Call("a")) + User(Result("a"));
  EXPECT_THAT(Check(messages, R"("max_tokens":1)"), ElementsAre("anthropic-tools at "));
  EXPECT_THAT(Lint(Provider::kAnthropic, "[" + messages + "]"), IsEmpty());
}

TEST(Anthropic, WantsTheUserAtBothEnds) {
  const std::string assistant = R"({"role":"assistant","content":"a "})";
  EXPECT_THAT(Check(assistant + "," + kUser), ElementsAre("anthropic-first-message at /messages/0"));
  EXPECT_THAT(Check(kUser + "," + assistant), ElementsAre("anthropic-prefill at /messages/1"));
  EXPECT_THAT(Check(kUser + "," + assistant, R"("model":"claude-sonnet-4-5-20250929")"),
              ElementsAre("anthropic-trailing-space at /messages/1/content"));
  EXPECT_THAT(Check(kUser + "," + assistant, R"("model":"claude-sonnet-4-5")", "claude-opus-4-6"),
              ElementsAre("anthropic-prefill at /messages/1"));
  EXPECT_THAT(Check(""), ElementsAre("empty-message at /messages"));
}

TEST(Anthropic, WantsTexts) {
  EXPECT_THAT(Check(R"({"role":"user","content":" \n"})"), ElementsAre("empty-text at /messages/0/content"));
  EXPECT_THAT(Check(R"({"role":"user","content":[]})"), ElementsAre("empty-message at /messages/0"));
  EXPECT_THAT(Check(kUser + Assistant(R"({"type":"text","text":""})") + User(kText)),
              ElementsAre("empty-text at /messages/1/content/0"));
  EXPECT_THAT(Check(kUser + Assistant(Call("a")) +
                    User(R"({"type":"tool_result","tool_use_id":"a","content":"","is_error":true})")),
              ElementsAre("anthropic-empty-error at /messages/2/content/0"));
}

TEST(Anthropic, ChecksWhatThinkingShowsOfItself) {
  const auto check = [](const std::string& block, std::string_view model = {}) {
    return Check(kUser + Assistant(block + "," + kText) + User(kText), R"("max_tokens":1)", model);
  };
  const std::string whole = Signature();
  EXPECT_THAT(check(Thinking("", whole)), IsEmpty()) << "newer models leave the text out";
  EXPECT_THAT(check(Thinking("", whole), "claude-opus-4-5"),
              ElementsAre("anthropic-thinking-empty at /messages/1/content/0"));
  EXPECT_THAT(check(Thinking("Hm.", "")), ElementsAre("anthropic-thinking-unsigned at /messages/1/content/0"));
  EXPECT_THAT(check(Thinking("Hm.", whole.substr(0, whole.size() - 4))),
              ElementsAre("opaque-altered at /messages/1/content/0/signature"));
  EXPECT_THAT(check(Thinking("Hm.", "[redacted]")), ElementsAre("opaque-altered at /messages/1/content/0/signature"));
  std::string token;
  AppendBase64("\x80" + std::string(8 + 16 + 32 + 32, 'x'), token);
  EXPECT_THAT(check(Thinking("Hm.", token)), ElementsAre("opaque-foreign at /messages/1/content/0/signature"));
  EXPECT_THAT(check(R"({"type":"redacted_thinking","data":")" + whole + R"("})"), IsEmpty());
}

TEST(Anthropic, WantsThinkingBeforeCallsThatAreBeingAnswered) {
  const std::string calls = kUser + Assistant(Call("a")) + User(Result("a"));
  const std::string enabled = R"("tools":[{"name":"ls"}],"thinking":{"type":"enabled","budget_tokens":1024})";
  EXPECT_THAT(Check(calls, enabled), ElementsAre("anthropic-thinking-first at /messages/1/content/0"));
  EXPECT_THAT(Check(calls + Assistant(kText) + User(kText), enabled), IsEmpty());
}

TEST(Anthropic, CountsCacheMarks) {
  const std::string marked = R"({"type":"text","text":"a","cache_control":{"type":"ephemeral"}})";
  const std::string four = marked + "," + marked + "," + marked + "," + marked;
  EXPECT_THAT(Check(R"({"role":"user","content":[)" + four + "]}"), IsEmpty());
  EXPECT_THAT(Check(R"({"role":"user","content":[)" + four + "]}", R"("system":[)" + marked + "]"),
              ElementsAre("anthropic-cache-marks at /messages/0/content/0"));
}

TEST(Anthropic, RefusesBlocksOfTheOtherRole) {
  EXPECT_THAT(Check(R"({"role":"user","content":[)" + Call("a") + "]}" + Assistant(Result("a")) + User(kText)),
              UnorderedElementsAre("shape at /messages/0/content/0", "shape at /messages/1/content/0"));
  EXPECT_THAT(Check(R"({"role":"system","content":"x"},)" + kUser), ElementsAre("shape at /messages/0"));
}

TEST(Anthropic, FindsBlocksOfOtherApis) {
  EXPECT_THAT(
      Check(kUser +
            User(R"({"type":"image_url","image_url":{"url":"https://a/b.png"}},{"type":"input_text","text":"a"})")),
      UnorderedElementsAre("shape at /messages/1/content/0", "shape at /messages/1/content/1"));
  EXPECT_THAT(Check(kUser + Assistant(Call("a")) +
                    User(R"({"type":"tool_result","tool_use_id":"a","content":[{"type":"input_image"}]})")),
              ElementsAre("shape at /messages/2/content/0/content/0"));
  EXPECT_THAT(Check(kUser + User(R"({"type":"of_next_month"})")), IsEmpty());
}

}  // namespace
}  // namespace turnlog::anthropic_test
