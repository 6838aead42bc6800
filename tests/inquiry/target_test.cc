#include "turnlog/inquiry/target.h"

#include <gtest/gtest.h>

#include "tests/store/log_fixture.h"
#include "tests/support/where.h"

namespace turnlog::target_test {
namespace {

struct Form {
  std::string_view json;
  TargetKind kind;
  std::string_view settings, answer, written;
};

TEST(Target, IsReadFromNamesAndMapsAndWrittenBack) {
  for (const Form& form : {
           Form{R"("user")", TargetKind::kUser, "", "", R"("user")"},
           Form{R"( "assistant" )", TargetKind::kAssistant, "", "", R"("assistant")"},
           Form{R"("assistant_with_\u0065scalation")", TargetKind::kAssistantWithEscalation, "", "",
                R"("assistant_with_escalation")"},
           Form{R"({})", TargetKind::kAssistant, "", "", R"("assistant")"},
           Form{R"({"escalation":true})", TargetKind::kAssistantWithEscalation, "", "",
                R"("assistant_with_escalation")"},
           Form{R"({"model":{"id":"m"},"escalation":false})", TargetKind::kAssistant, R"({"model":{"id":"m"}})", "",
                R"({"model":{"id":"m"}})"},
           Form{R"({"escalation":true,"model":"m","x":1.50})", TargetKind::kAssistantWithEscalation,
                R"({"model":"m","x":1.50})", "", R"({"model":"m","x":1.50,"escalation":true})"},
           Form{R"({"answer":null})", TargetKind::kStatic, "", "null", R"({"answer":null})"},
           Form{R"({"answer":["a"]})", TargetKind::kStatic, "", R"(["a"])", R"({"answer":["a"]})"},
       }) {
    const Target target = Must(ParseTarget(form.json));
    EXPECT_EQ(target.kind, form.kind) << form.json;
    EXPECT_EQ(target.settings.text(), form.settings) << form.json;
    EXPECT_EQ(target.answer.text(), form.answer) << form.json;
    EXPECT_EQ(ToJson(target).text(), form.written);
    EXPECT_EQ(Must(ParseTarget(ToJson(target).text())), target);
  }
}

TEST(Target, ErrorsNameTheField) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {R"("User")", "target"},
      {"7", "target"},
      {R"({"escalation":"yes"})", "target.escalation"},
      {R"({"model":7})", "target.model"},
      {R"({"model":{"id":7}})", "target.model.id"},
      {R"({"answer":1,"escalation":true})", "target.answer"},
      {R"({"model":"a","model":"b"})", "target.model"},
      {R"({"x":"a","x":"b"})", "target"},
  };
  for (const auto& [json, where] : cases) {
    EXPECT_EQ(Where(MessageOf(ParseTarget(json))), where) << json;
    EXPECT_EQ(CodeOf(ParseTarget(json)), "invalid argument");
  }
  EXPECT_TRUE(MessageOf(ParseTarget(R"({"model":)")).starts_with("target")) << MessageOf(ParseTarget(R"({"model":)"));
}

TEST(Target, KnowsItsModel) {
  EXPECT_EQ(Must(ParseTarget(R"({"model":"m"})")).model(), "m");
  EXPECT_EQ(Must(ParseTarget(R"({"model":{"id":"m"}})")).model(), "m");
  EXPECT_EQ(Must(ParseTarget(R"({"model":{"name":"m"}})")).model(), std::nullopt);
  EXPECT_EQ(Must(ParseTarget(R"({"temperature":0})")).model(), std::nullopt);
  EXPECT_EQ(Must(ParseTarget(R"("assistant")")).model(), std::nullopt);
}

}  // namespace
}  // namespace turnlog::target_test
