#include "migrate/json_text.h"

#include <gtest/gtest.h>

namespace turnlog::json_text_test {
namespace {

std::string Compact(std::string_view json) {
  std::string out;
  AppendCompact(json, out);
  return out;
}

std::string Pretty(std::string_view json, int depth = 0) {
  std::string out;
  AppendPretty(json, depth, out);
  return out;
}

constexpr std::string_view kCompact = R"({"a":[1,-0.50E+1,[],{}],"b\"c":{"d":"x, y: {z}"},"a":null,"e":""})";
constexpr std::string_view kPretty = R"({
  "a": [
    1,
    -0.50E+1,
    [],
    {}
  ],
  "b\"c": {
    "d": "x, y: {z}"
  },
  "a": null,
  "e": ""
})";

TEST(JsonText, LaysOutAndTakesBack) {
  EXPECT_EQ(Pretty(kCompact), kPretty);
  EXPECT_EQ(Compact(kPretty), kCompact);
  EXPECT_EQ(Pretty(kPretty), kPretty);
}

TEST(JsonText, LaysOutFromAnyDepth) { EXPECT_EQ(Pretty("[1]", 2), "[\n      1\n    ]"); }

TEST(JsonText, TakesScalarsAndOddWhiteSpace) {
  EXPECT_EQ(Compact(" 12 "), "12");
  EXPECT_EQ(Compact("\r\n\"a b\"\t"), "\"a b\"");
  EXPECT_EQ(Pretty("[ \n ]"), "[]");
  EXPECT_EQ(Pretty("{\t}"), "{}");
}

TEST(JsonText, RewritesValuesAndNotKeys) {
  std::string out;
  const auto shout = [](std::string_view token, std::string& to) { to.append(token).insert(to.size() - 1, "!"); };
  AppendRewritten(R"({ "k" : "v", "n": [ "w", 1, {"x" :"y"}, true ] })", shout, out);
  EXPECT_EQ(out, R"({"k":"v!","n":["w!",1,{"x":"y!"},true]})");
}

TEST(JsonText, EscapesAsSerdeDoes) {
  std::string out;
  AppendToken(std::string_view("\"\\\b\f\n\r\t/\x01\x1f\x7f\0\xc3\xa9", 14), out);
  EXPECT_EQ(out, "\"\\\"\\\\\\b\\f\\n\\r\\t/\\u0001\\u001f\x7f\\u0000\xc3\xa9\"");
}

TEST(JsonText, FindsTheFirstFieldOfThatName) {
  const std::string json = R"({"a": {"b": 1}, "\u0062": "x\ny", "b": 2})";
  const auto field = FindJsonField(json, "b");
  ASSERT_TRUE(field);
  EXPECT_EQ(json.substr(field->begin, field->end - field->begin), R"("\u0062": "x\ny")");
  EXPECT_EQ(FindJsonString(json, "b"), "x\ny");
  EXPECT_FALSE(FindJsonString(json, "a"));
  EXPECT_FALSE(FindJsonField(json, "c"));
  EXPECT_FALSE(FindJsonField("[1]", "b"));
}

}  // namespace
}  // namespace turnlog::json_text_test
