#include "schema/json/json_layout.h"

#include <gtest/gtest.h>

#include "schema/json/json_writer.h"
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

TEST(JsonLayout, RewritesAndLaysOut) {
  std::string out;
  const auto name = [](std::string_view, std::string& to) { to += R"("x")"; };
  AppendRewrittenPretty(R"({"k":"v","n":["w",{}]})", 1, name, out);
  EXPECT_EQ(out, "{\n    \"k\": \"x\",\n    \"n\": [\n      \"x\",\n      {}\n    ]\n  }");
}

void WriteAll(JsonWriter json) {
  json.StartObject();
  json.Key("empty"), json.StartObject(), json.EndObject();
  json.Field("text", "a\n\"b\"");
  json.Field("raw", JsonView::FromTrusted(R"( { "k":[ 1,{"m":[]} ]} )"));
  json.Key("list"), json.StartArray();
  json.Unsigned(7), json.Bool(true), json.StartArray(), json.EndArray();
  json.StartObject(), json.Field("last", "x"), json.EndObject();
  json.EndArray();
  json.Fields(JsonView::FromTrusted(R"({"\u0061":null,"b":{"c":"d"}})"));
  json.EndObject();
}

TEST(JsonLayout, IsHowAWriterLaysOut) {
  for (const int depth : {0, 1, 3}) {
    std::string compact, pretty;
    WriteAll(JsonWriter(compact));
    WriteAll(JsonWriter::Pretty(pretty, depth));
    EXPECT_EQ(pretty, Pretty(compact, depth));
  }
}

// An event's own form is around values that are as deep as values may be.
TEST(JsonLayout, ReachesBeyondTheDepthOfValues) {
  std::string deep = "1";
  for (int i = 0; i < kMaxJsonDepth + 10; ++i) deep = "[" + deep + "]";
  EXPECT_EQ(Compact(" " + deep), deep);
}

}  // namespace
}  // namespace turnlog::json_layout_test
