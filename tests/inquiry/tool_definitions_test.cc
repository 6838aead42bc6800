// The definitions and the parsers say the same of every sample.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inquiry/json_schema.h"
#include "schema/json/json_tree.h"
#include "turnlog/inquiry/ask_user.h"
#include "turnlog/inquiry/ask_user_question.h"

namespace turnlog::tool_definitions_test {
namespace {

bool Fits(const ToolDefinition& tool, std::string_view arguments) {
  const JsonNode schema = ParseTree(JsonView::FromTrusted(tool.schema));
  return !FindSchemaFault(schema, ParseTree(JsonView::FromTrusted(arguments)), "arguments");
}

std::string Question(std::string_view fields) {
  return R"({"questions":[{"question":"Q?","options":[{"label":"a"},{"label":"b"}])" + std::string(fields) + "}]}";
}

std::string FormQuestion(std::string_view fields) {
  return R"({"questions":[{"id":"a","text":"A?")" + std::string(fields) + "}]}";
}

TEST(ToolDefinitions, AreSchemasThatCanBeChecked) {
  for (const ToolDefinition& tool : {kAskUserTool, kAskUserQuestionTool}) {
    ASSERT_TRUE(ParseJson(tool.schema)) << tool.name;
    EXPECT_EQ(FindSchemaProblem(ParseTree(JsonView::FromTrusted(tool.schema))), std::nullopt) << tool.name;
    EXPECT_GT(tool.description.size(), 100U);
  }
  EXPECT_EQ(kAskUserTool.name, "ask_user");
  EXPECT_EQ(kAskUserQuestionTool.name, "ask_user_question");
}

TEST(ToolDefinitions, AskUserQuestionAgreesWithItsParser) {
  const std::string four(R"({"label":"c"},{"label":"d"})");
  for (const std::string& arguments :
       {Question(""), Question(R"(,"header":"Short")"), Question(R"(,"header":"")"),
        Question(R"(,"header":"much too long")"), Question(R"(,"multiSelect":true)"),
        Question(R"(,"multiSelect":"yes")"), Question(R"(,"more":1)"), std::string(R"({"questions":[]})"),
        std::string("{}"), std::string("[]"), std::string(R"({"questions":7})"),
        std::string(R"({"questions":[{"question":" ","options":[{"label":"a"},{"label":"b"}]}]})"),
        std::string(R"({"questions":[{"question":"Q?","options":[{"label":"a"}]}]})"),
        std::string(R"({"questions":[{"question":"Q?","options":[{"label":"a"},{"label":"oTHER"}]}]})"),
        std::string(R"({"questions":[{"question":"Q?","options":[{"label":"a"},{"label":"Other one"}]}]})"),
        std::string(R"({"questions":[{"question":"Q?","options":[{"label":"a","description":1},{"label":"b"}]}]})"),
        std::string(R"({"questions":[{"question":"Q?","options":[{"label":"a","preview":"p"},{"label":"b"}]}]})"),
        std::string(R"({"questions":[{"question":"Q?","options":[{"label":"a"},{"label":"b"},)") + four + "]}]}",
        std::string(R"({"questions":[{"question":"Q?","options":[{"label":"a"},{"label":"b"},)") + four +
            R"(,{"label":"e"}]}]})"}) {
    const bool parsed = ParseUserQuestions(Json::FromTrusted(arguments)).has_value();
    EXPECT_EQ(Fits(kAskUserQuestionTool, arguments), parsed) << arguments;
  }
}

TEST(ToolDefinitions, AskUserAgreesWithItsParserButForWhatASchemaCannotSay) {
  for (const std::string& arguments :
       {FormQuestion(""),
        FormQuestion(R"(,"context":"")"),
        FormQuestion(R"(,"answer_type":"boolean")"),
        FormQuestion(R"(,"answer_type":"number")"),
        FormQuestion(R"(,"answer_type":"secret")"),
        FormQuestion(R"(,"answer_type":"select","options":["x",{"value":1,"description":"one"}],"other":true)"),
        FormQuestion(R"(,"answer_type":"select","options":[])"),
        FormQuestion(R"(,"answer_type":"select","options":[7])"),
        FormQuestion(R"(,"answer_type":"select","options":["x"],"other":"yes")"),
        FormQuestion(R"(,"answer_type":"schema","schema":{"type":"object"})"),
        FormQuestion(R"(,"answer_type":"schema","schema":true)"),
        FormQuestion(R"(,"default":"d")"),
        FormQuestion(R"(,"when":[])"),
        FormQuestion(R"(,"when":{"question_id":"b"})"),
        FormQuestion(R"(,"more":1)"),
        std::string(R"({"questions":[{"id":"a.b","text":"A?"}]})"),
        std::string(R"({"questions":[{"id":"a"}]})"),
        std::string(R"({"questions":[{"id":"a","text":"\t"}]})"),
        std::string(R"({"questions":[]})"),
        std::string(R"({"questions":[{"id":"a","text":"A?"},{"id":"b","text":"B?",)"
                    R"("when":{"question_id":"a","equals":"x"}}]})")}) {
    const bool parsed = ParseForm(Json::FromTrusted(arguments)).has_value();
    EXPECT_EQ(Fits(kAskUserTool, arguments), parsed) << arguments;
  }
  for (const char* arguments : {R"({"questions":[{"id":"a","text":"A?"},{"id":"a","text":"B?"}]})",
                                R"({"questions":[{"id":"a","text":"A?","answer_type":"select"}]})"}) {
    EXPECT_TRUE(Fits(kAskUserTool, arguments)) << arguments;
    EXPECT_FALSE(ParseForm(Json::FromTrusted(arguments))) << arguments;
  }
}

}  // namespace
}  // namespace turnlog::tool_definitions_test
