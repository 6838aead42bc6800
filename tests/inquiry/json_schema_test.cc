// The official test suite of JSON schema (Debian's json-schema-test-suite), draft 7: every schema is either refused
// when it is submitted, or all its tests come out as they should.
#include "inquiry/json_schema.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "schema/json/json_tree.h"
#include "turnlog/inquiry/answer.h"

namespace turnlog::json_schema_test {
namespace {

using testing::UnorderedElementsAre;

const std::filesystem::path kSuite = TURNLOG_JSON_SCHEMA_SUITE;

Json J(std::string_view text) { return Json::FromTrusted(std::string(text)); }

Json ReadSuite(const std::filesystem::path& file) {
  std::ifstream in(file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return ParseJson(text).value();
}

// Checks each group of a file; the descriptions of those whose schema is refused go to `refused`.
void CheckFile(const std::filesystem::path& file, std::vector<std::string>& refused) {
  const Json text = ReadSuite(file);
  for (const JsonNode group = ParseTree(text); const JsonNode& each : group.elements) {
    const JsonNode& schema = *each.Find("schema");
    const std::string& name = each.Find("description")->string;
    if (FindSchemaProblem(schema)) {
      refused.push_back(file.stem().string() + ": " + name);
      continue;
    }
    for (const JsonNode& test : each.Find("tests")->elements) {
      const auto fault = FindSchemaFault(schema, *test.Find("data"), "value");
      EXPECT_EQ(!fault, test.Find("valid")->is_true())
          << file.stem() << ": " << name << ": " << test.Find("description")->string << " " << fault.value_or("");
    }
  }
}

TEST(JsonSchema, PassesTheRequiredTestsOfDraft7OrRefusesTheSchema) {
  std::vector<std::string> refused;
  for (const auto& entry : std::filesystem::directory_iterator(kSuite / "draft7")) {
    if (entry.is_regular_file()) CheckFile(entry.path(), refused);
  }
  EXPECT_THAT(refused,
              UnorderedElementsAre(
                  "refRemote: remote ref", "refRemote: fragment within remote ref", "refRemote: ref within remote ref",
                  "refRemote: base URI change", "refRemote: base URI change - change folder",
                  "refRemote: base URI change - change folder in subschema", "refRemote: root ref in remote ref",
                  "definitions: valid definition", "definitions: invalid definition", "ref: escaped pointer ref",
                  "ref: remote ref, containing refs itself", "ref: Recursive references between schemas"));
}

TEST(JsonSchema, PassesTheTestsOfTheFormatsThatItKnows) {
  std::vector<std::string> refused;
  for (const char* format : {"date-time", "date", "time", "email", "ipv4", "ipv6", "uri"}) {
    CheckFile(kSuite / "draft7/optional/format" / (std::string(format) + ".json"), refused);
  }
  EXPECT_THAT(refused, testing::IsEmpty());
}

// Where in the schema; empty: it has no problem.
std::string ProblemAt(std::string_view schema) {
  const Json text = J(schema);
  const std::string problem = FindSchemaProblem(ParseTree(text)).value_or("");
  return problem.substr(0, problem.find(": "));
}

TEST(JsonSchema, SaysWhatItCannotCheckAndWhere) {
  EXPECT_EQ(ProblemAt(R"({"type":"object","title":"t","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":true}})"),
            "");
  EXPECT_EQ(ProblemAt("7"), "schema");
  EXPECT_EQ(ProblemAt(R"({"type":"objekt"})"), "/type");
  EXPECT_EQ(ProblemAt(R"({"properties":{"a":{"typ":"string"}}})"), "/properties/a/typ");
  EXPECT_EQ(ProblemAt(R"({"$ref":"https://example.org/schema"})"), "/$ref");
  EXPECT_EQ(ProblemAt(R"({"$ref":"#/$defs/none"})"), "/$ref");
  EXPECT_EQ(ProblemAt(R"s({"pattern":"(?=a)"})s"), "/pattern");
  EXPECT_EQ(ProblemAt(R"({"format":"colour"})"), "/format");
  EXPECT_EQ(ProblemAt(R"({"required":["a",1]})"), "/required");
  EXPECT_EQ(ProblemAt(R"({"minLength":-1})"), "/minLength");
  EXPECT_EQ(ProblemAt(R"({"enum":[]})"), "/enum");
  EXPECT_EQ(ProblemAt(R"({"unevaluatedProperties":false})"), "/unevaluatedProperties");
}

TEST(JsonSchema, ReferencesMayNameAnyField) {
  const Json schema = J(R"({"$ref":"#/$defs/a~1b~0c%25","$defs":{"a/b~c%":{"type":"integer"}}})");
  EXPECT_EQ(FindSchemaProblem(ParseTree(schema)), std::nullopt);
  EXPECT_FALSE(FindSchemaFault(ParseTree(schema), ParseTree(JsonView::FromTrusted("1")), "answer"));
  EXPECT_TRUE(FindSchemaFault(ParseTree(schema), ParseTree(JsonView::FromTrusted("null")), "answer"));
}

TEST(JsonSchema, EndsOnSchemasThatReferToOneAnotherForEver) {
  const Json loop = J(R"({"$ref":"#"})");
  EXPECT_TRUE(FindSchemaFault(ParseTree(loop), ParseTree(JsonView::FromTrusted("1")), "answer"));
  std::string doubling = R"({"allOf":[{"$ref":"#/$defs/a0"}],"$defs":{)";
  for (int i = 0; i < 40; ++i) {
    const std::string next = fmt::format(R"({{"$ref":"#/$defs/a{}"}})", i + 1);
    doubling += fmt::format(R"("a{}":{{"allOf":[{},{}]}},)", i, next, next);
  }
  const Json bomb = J(doubling + R"("a40":true}})");
  EXPECT_TRUE(FindSchemaFault(ParseTree(bomb), ParseTree(JsonView::FromTrusted("1")), "answer"));
}

TEST(JsonSchema, ReferencesHoldWithinTheAssistantsSchema) {
  AnswerType type;
  type.kind = AnswerKind::kSchema;
  type.schema = J(R"({"$defs":{"name":{"type":"string"}},"properties":{"$ref":{"type":"null"},
    "first":{"$ref":"#/$defs/name"},"again":{"$ref":"#/properties/first"},"inner":{"$ref":"#"},
    "data":{"const":{"$ref":"#"}}}})");
  const Json schema = AnswerSchema(type).value();
  EXPECT_EQ(FindSchemaProblem(ParseTree(schema)), std::nullopt);
  const auto fits = [&](std::string_view answer) {
    const Json whole = J(R"({"reason":"r","answer":)" + std::string(answer) + "}");
    return !FindSchemaFault(ParseTree(schema), ParseTree(whole), "output");
  };
  EXPECT_TRUE(fits(R"({"first":"a","again":"b","inner":{"first":"c"},"data":{"$ref":"#"}})"));
  EXPECT_FALSE(fits(R"({"first":1})"));
  EXPECT_FALSE(fits(R"({"again":1})"));
  EXPECT_FALSE(fits(R"({"inner":{"first":1}})"));
  EXPECT_FALSE(fits(R"({"data":{"$ref":"#/properties/answer"}})"));
}

}  // namespace
}  // namespace turnlog::json_schema_test
