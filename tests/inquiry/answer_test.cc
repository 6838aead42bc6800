#include "turnlog/inquiry/answer.h"

#include "schema/json/json_tree.h"
#include "tests/inquiry/inquiry_fixture.h"
#include "tests/support/where.h"

namespace turnlog::answer_test {
namespace {

// Where the answer is wrong; "" if it is not.
std::string Fault(const Question& question, std::string_view answer) {
  return Where(MessageOf(CheckAnswer(question.answer_type, J(answer))));
}

TEST(Answer, FitsItsQuestionOrIsRefusedWithAReasonThatDoesNotQuoteIt) {
  EXPECT_EQ(Fault(Boolean(), "true"), "");
  EXPECT_EQ(Fault(Boolean(), R"("true")"), "answer");
  EXPECT_EQ(Fault(Boolean(), "null"), "answer");
  EXPECT_EQ(Fault(Text(), R"("")"), "");
  EXPECT_EQ(Fault(Text(), "1"), "answer");
  EXPECT_EQ(Fault(Secret(), R"("s3cret")"), "");
  EXPECT_EQ(Fault(Secret(), "12345"), "answer");
  EXPECT_EQ(Fault(Select({"a", "b"}), R"("b")"), "");
  EXPECT_EQ(Fault(Select({"a", "b"}), R"("\u0062")"), "");
  EXPECT_EQ(Fault(Select({"a", "b"}), R"("c")"), "answer");
  EXPECT_EQ(Fault(Multi({"a", "b"}), R"([])"), "");
  EXPECT_EQ(Fault(Multi({"a", "b"}), R"(["b","a"])"), "");
  EXPECT_EQ(Fault(Multi({"a", "b"}), R"(["a","a"])"), "answer[1]");
  EXPECT_EQ(Fault(Multi({"a", "b"}), R"(["a","c"])"), "answer[1]");
  EXPECT_EQ(Fault(Multi({"a", "b"}), R"("a")"), "answer");
  EXPECT_EQ(Fault(Text(), ""), "answer");
  EXPECT_EQ(Fault(Text(), R"("open)"), "answer");
  EXPECT_EQ(Fault(BySchema("{}"), "[1,"), "answer");
}

TEST(Answer, OptionsMayBeAnyValues) {
  Question question = Select({});
  for (const auto* value : {"1", "null", R"({"a":[1,2]})"}) question.answer_type.options.push_back({J(value), {}, {}});
  EXPECT_EQ(Fault(question, "1.0"), "");
  EXPECT_EQ(Fault(question, "null"), "");
  EXPECT_EQ(Fault(question, R"({ "a" : [1, 2e0] })"), "");
  EXPECT_NE(Fault(question, R"({"a":[2,1]})"), "");
}

TEST(Answer, IsCheckedAgainstItsSchema) {
  const Question question = BySchema(R"({
    "type": "object", "required": ["host"], "additionalProperties": false,
    "properties": {
      "host": {"type": "string", "minLength": 2, "maxLength": 4},
      "port": {"type": "integer", "minimum": 1, "exclusiveMaximum": 65536},
      "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1, "maxItems": 2, "uniqueItems": true},
      "mode": {"anyOf": [{"const": "x"}, {"type": "null"}]},
      "size": {"oneOf": [{"minimum": 5}, {"maximum": 7}]},
      "name": {"allOf": [{"type": "string"}, {"not": {"const": "root"}}]},
      "free": true, "none": false, "kind": {"type": ["string", "null"]}
    }})");
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {R"({"host":"ab","port":80,"tags":["a"],"mode":null,"size":9,"name":"me","free":{},"kind":null})", ""},
      {R"([])", "answer"},
      {R"({})", "answer.host"},
      {R"({"host":"a"})", "answer.host"},
      {"{\"host\":\"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\"}", ""},
      {R"({"host":"abcde"})", "answer.host"},
      {R"({"host":"ab","port":0})", "answer.port"},
      {R"({"host":"ab","port":65536})", "answer.port"},
      {R"({"host":"ab","port":1.5})", "answer.port"},
      {R"({"host":"ab","port":2.0})", ""},
      {R"({"host":"ab","tags":[]})", "answer.tags"},
      {R"({"host":"ab","tags":["a","b","a"]})", "answer.tags"},
      {R"({"host":"ab","tags":["a","a"]})", "answer.tags[1]"},
      {R"({"host":"ab","tags":["c"]})", "answer.tags[0]"},
      {R"({"host":"ab","mode":"y"})", "answer.mode"},
      {R"({"host":"ab","size":6})", "answer.size"},
      {R"({"host":"ab","name":"root"})", "answer.name"},
      {R"({"host":"ab","none":1})", "answer.none"},
      {R"({"host":"ab","kind":1})", "answer.kind"},
      {R"({"host":"ab","other":1})", "answer.other"},
  };
  for (const auto& [answer, fault] : cases) EXPECT_EQ(Fault(question, answer), fault) << answer;
}

TEST(AnswerSchema, AsksForTheReasonBeforeTheAnswerAndRequiresBoth) {
  EXPECT_EQ(Must(AnswerSchema(Boolean().answer_type)).text(),
            R"({"type":"object","properties":{"reason":{"type":"string",)"
            R"("description":"Brief explanation of why you chose this answer."},"answer":{"type":"boolean"}},)"
            R"("required":["reason","answer"],"additionalProperties":false})");
}

TEST(AnswerSchema, DescribesTheAnswerOfEachType) {
  const auto answer = [](const Question& question) {
    const std::string schema = Must(AnswerSchema(question.answer_type)).text();
    const std::size_t begin = schema.find(R"("answer":)") + 9;
    return schema.substr(begin, schema.find(R"(},"required")") - begin);
  };
  EXPECT_EQ(answer(Select({"a", "b"})), R"({"type":"string","enum":["a","b"]})");
  EXPECT_EQ(answer(Multi({"a"})), R"({"type":"array","items":{"type":"string","enum":["a"]},"uniqueItems":true})");
  EXPECT_EQ(answer(Text()), R"({"type":"string"})");
  EXPECT_EQ(answer(BySchema(R"({"type":"number"})")), R"({"type":"number"})");
  Question mixed = Select({"a"});
  mixed.answer_type.options.push_back({J("1"), {}, {}});
  EXPECT_EQ(answer(mixed), R"({"enum":["a",1]})");
}

TEST(AnswerSchema, IsTheSameForQuestionsOfTheSameType) {
  EXPECT_EQ(Must(AnswerSchema(Boolean("One?").answer_type)), Must(AnswerSchema(Boolean("Two?").answer_type)));
}

TEST(AnswerSchema, ThereIsNoneForSecrets) {
  EXPECT_EQ(CodeOf(AnswerSchema(Secret().answer_type)), "invalid argument");
  EXPECT_EQ(CodeOf(ParseAssistantAnswer(Secret().answer_type, R"({"reason":"r","answer":"a"})")), "invalid argument");
}

TEST(AssistantAnswer, IsTakenOrRefusedWithWordsThatHelpTheModel) {
  const AnswerType& type = Boolean().answer_type;
  const AssistantAnswer taken = Must(ParseAssistantAnswer(type, R"( {"reason":"it is\nfine","answer":true} )"));
  EXPECT_EQ(taken.reason, "it is\nfine");
  EXPECT_EQ(taken.answer, J("true"));
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"yes", "JSON: byte 0"},
      {"true", ""},
      {R"({"answer":true})", "reason"},
      {R"({"reason":"","answer":true})", "reason"},
      {R"({"reason":"r"})", "answer"},
      {R"({"reason":"r","answer":"no"})", "answer"},
      {R"({"reason":"r","answer":true,"more":1})", ""},
  };
  for (const auto& [json, where] : cases) {
    const auto refused = ParseAssistantAnswer(type, json);
    EXPECT_EQ(CodeOf(refused), "invalid argument") << json;
    EXPECT_EQ(Where(MessageOf(refused)), where) << MessageOf(refused);
  }
  EXPECT_EQ(
      RejectionText(ParseAssistantAnswer(type, R"({"reason":"r"})").error()),
      "Your answer was not accepted: answer: is missing. Give one JSON object with two fields, `reason` (a string) "
      "and then `answer`, as the schema says.");
}

TEST(AssistantPrompt, HasTheToolTheContextTheOptionsAndAsksForAReason) {
  Question question = Select({"a", "b"});
  question.context = "Two ways lead there.";
  question.answer_type.options[1].description = "the long one";
  const InquiryRequest inquiry{Keyed("c", "q", 1), {SourceKind::kTool, "walk", {}}, question, {}};
  EXPECT_EQ(
      AssistantPrompt(inquiry),
      "The tool `walk` needs an answer.\n\nTwo ways lead there.\n\nWhich?\n\nOptions:\n- \"a\"\n- \"b\": the long "
      "one\n\nAnswer from what the conversation tells. In the `reason` field, briefly explain why you chose your "
      "answer.");
}

TEST(SameValue, LooksAtValuesAndNotAtLetters) {
  for (const auto& [left, right] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"1", "1.0"},
                                                                  {"1e2", "100"},
                                                                  {"-0", "0"},
                                                                  {"0.10", "1E-1"},
                                                                  {"123456789012345678901", "123456789012345678901.00"},
                                                                  {R"("a")", R"("\u0061")"},
                                                                  {R"({"a":1,"b":[]})", R"({ "b" : [ ] , "a" : 1.0 })"},
                                                                  {"0e999999999999999999", "0e999999999999999999"}}) {
    EXPECT_TRUE(SameValue(J(left), J(right))) << left << " " << right;
    EXPECT_TRUE(SameValue(J(right), J(left))) << left << " " << right;
  }
  for (const auto& [left, right] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"1", "2"},
                                                                  {"1", "10"},
                                                                  {"1", "-1"},
                                                                  {"123456789012345678901", "123456789012345678902"},
                                                                  {"1", R"("1")"},
                                                                  {"true", "false"},
                                                                  {"null", "false"},
                                                                  {"[1,2]", "[2,1]"},
                                                                  {"[1]", "[1,1]"},
                                                                  {R"({"a":1})", R"({"b":1})"},
                                                                  {R"({"a":1})", R"({"a":1,"b":1})"},
                                                                  {"1e999999999999999999", "1e999999999999999998"}}) {
    EXPECT_FALSE(SameValue(J(left), J(right))) << left << " " << right;
  }
}

}  // namespace
}  // namespace turnlog::answer_test
