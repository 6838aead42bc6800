#include "tests/providers/request_lint.h"

namespace turnlog::gemini_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Check(const std::string& contents, std::string_view model = {}) {
  return Lint(Provider::kGemini, R"({"contents":[{"role":"user","parts":[{"text":"Hi"}]})" + contents + "]}", model);
}
std::string Call(const std::string& name,
                 const std::string& more = R"(,"thoughtSignature":"skip_thought_signature_validator")") {
  return R"({"functionCall":{"name":")" + name + R"(","args":{}})" + more + "}";
}
std::string Response(const std::string& name) {
  return R"({"functionResponse":{"name":")" + name + R"(","response":{}}})";
}
std::string Model(const std::string& parts) { return R"(,{"role":"model","parts":[)" + parts + "]}"; }
std::string User(const std::string& parts) { return R"(,{"role":"user","parts":[)" + parts + "]}"; }
const std::string kText = R"({"text":"a"})";

TEST(Gemini, AcceptsAsManyResponsesAsCalls) {
  EXPECT_THAT(Check(Model(kText + "," + Call("a") + "," + Call("b", "")) + User(Response("b") + "," + Response("a"))),
              IsEmpty());
}

TEST(Gemini, CountsResponses) {
  EXPECT_THAT(Check(Model(Call("a") + "," + Call("b", "")) + User(Response("a"))),
              ElementsAre("gemini-missing-response at /contents/1"));
  EXPECT_THAT(Check(Model(kText) + User(Response("a"))), ElementsAre("gemini-stray-response at /contents/2/parts/0"));
  EXPECT_THAT(Check(Model(Call("a")) + User(Response("b"))),
              ElementsAre("gemini-response-name at /contents/2/parts/0"));
}

TEST(Gemini, WantsCallsAfterTheUser) {
  EXPECT_THAT(Check(Model(kText) + Model(Call("a")) + User(Response("a"))),
              ElementsAre("gemini-call-position at /contents/2"));
  EXPECT_THAT(Lint(Provider::kGemini, "[" + Model(Call("a")).substr(1) + User(Response("a")) + "]"),
              ElementsAre("gemini-call-position at /0"));
}

TEST(Gemini, WantsSignaturesInTheCurrentTurn) {
  const std::string unsigned_calls = Model(Call("a", "")) + User(Response("a"));
  EXPECT_THAT(Check(unsigned_calls), ElementsAre("gemini-thought-signature at /contents/1/parts/0"));
  EXPECT_THAT(Check(unsigned_calls, "gemini-2.5-pro"), IsEmpty());
  EXPECT_THAT(Check(unsigned_calls + Model(kText) + User(kText)), IsEmpty()) << "an earlier turn";
  EXPECT_THAT(Check(Model(Call("a", R"(,"thought_signature":"%%%")")) + User(Response("a"))),
              ElementsAre("opaque-altered at /contents/1/parts/0/thought_signature"));
}

TEST(Gemini, ChecksContents) {
  EXPECT_THAT(Check(Model(kText)), ElementsAre("gemini-last-content at /contents/1"));
  EXPECT_THAT(Check(Model("") + User(kText)), ElementsAre("empty-message at /contents/1"));
  EXPECT_THAT(Check(Model(R"({"text":""})") + User(kText)), ElementsAre("empty-text at /contents/1/parts/0"));
  EXPECT_THAT(Check(R"(,{"role":"assistant","parts":[]})"), ElementsAre("shape at /contents/1"));
  EXPECT_THAT(Check(Model(Call("1st")) + User(Response("1st"))),
              ElementsAre("tool-name at /contents/1/parts/0/functionCall/name"));
}

TEST(Gemini, FindsPartsOfOtherApis) {
  EXPECT_THAT(Check(Model(R"({"type":"text","text":"a"})") + User(kText)), ElementsAre("shape at /contents/1/parts/0"));
}

}  // namespace
}  // namespace turnlog::gemini_test
