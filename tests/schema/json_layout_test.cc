#include "schema/json/json_layout.h"

#include <gtest/gtest.h>

#include "turnlog/types.h"

namespace turnlog::json_layout_test {
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

TEST(JsonLayout, LaysOutAndTakesBack) {
  EXPECT_EQ(Pretty(kCompact), kPretty);
  EXPECT_EQ(Compact(kPretty), kCompact);
  EXPECT_EQ(Pretty(kPretty), kPretty);
}

TEST(JsonLayout, LaysOutFromAnyDepth) { EXPECT_EQ(Pretty("[1]", 2), "[\n      1\n    ]"); }

TEST(JsonLayout, TakesScalarsAndOddWhiteSpace) {
  EXPECT_EQ(Compact(" 12 "), "12");
  EXPECT_EQ(Compact("\r\n\"a b\"\t"), "\"a b\"");
  EXPECT_EQ(Pretty("[ \n ]"), "[]");
  EXPECT_EQ(Pretty("{\t}"), "{}");
}

TEST(JsonLayout, RewritesValuesAndNotKeys) {
  std::string out;
  const auto shout = [](std::string_view token, std::string& to) { to.append(token).insert(to.size() - 1, "!"); };
  AppendRewritten(R"({ "k" : "v", "n": [ "w", 1, {"x" :"y"}, true ] })", shout, out);
  EXPECT_EQ(out, R"({"k":"v!","n":["w!",1,{"x":"y!"},true]})");
}

// An event's own form is around values that are as deep as values may be.
TEST(JsonLayout, ReachesBeyondTheDepthOfValues) {
  std::string deep = "1";
  for (int i = 0; i < kMaxJsonDepth + 10; ++i) deep = "[" + deep + "]";
  EXPECT_EQ(Compact(" " + deep), deep);
}

}  // namespace
}  // namespace turnlog::json_layout_test
