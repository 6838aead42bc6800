#include "turnlog/json.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_visitor.h"
#include "schema/json/json_writer.h"
#include "tests/support/where.h"
#include "turnlog/types.h"

namespace turnlog::json_test {
namespace {

// Where it is wrong; "" if it is not.
std::string FaultAt(std::string_view text) {
  const auto json = ParseJson(text);
  return json ? "" : Where(json.error().message);
}

TEST(ParseJson, GivesTheValueBackLetterByLetter) {
  for (const std::string text : {"null", "true", "false", "0", "-0.0", "1E400", "-1.5e-7", "18446744073709551616",
                                 "\"\"", R"("\u0000\"\\\/\b\f\n\r\t\ud834\udd1eé")", "[]", "{}", "[ ]", "{\n}",
                                 R"({"b":1,"a":[1, 2.0 ,{"a":null}],"b":2})"}) {
    const auto json = ParseJson(" \t\r\n" + text + "\n ");
    ASSERT_TRUE(json) << json.error().message;
    EXPECT_EQ(json->text(), text);
  }
}

TEST(ParseJson, TellsTheByteOfEveryFault) {
  EXPECT_EQ(FaultAt(""), "JSON: byte 0");
  EXPECT_EQ(FaultAt("  "), "JSON: byte 2");
  EXPECT_EQ(FaultAt("1 2"), "JSON: byte 2");
  EXPECT_EQ(FaultAt("[1,]"), "JSON: byte 3");
  EXPECT_EQ(FaultAt("[,1]"), "JSON: byte 1");
  EXPECT_EQ(FaultAt("[1"), "JSON: byte 2");
  EXPECT_EQ(FaultAt("[1}"), "JSON: byte 2");
  EXPECT_EQ(FaultAt("{\"a\":1]"), "JSON: byte 6");
  EXPECT_EQ(FaultAt("{\"a\":"), "JSON: byte 5");
  EXPECT_EQ(FaultAt("{\"a\""), "JSON: byte 4");
  EXPECT_EQ(FaultAt("{1:1}"), "JSON: byte 1");
  EXPECT_EQ(FaultAt("{"), "JSON: byte 1");
  EXPECT_EQ(FaultAt("\"abc"), "JSON: byte 0");
  EXPECT_EQ(FaultAt("\"abc\\"), "JSON: byte 4");
  EXPECT_EQ(FaultAt("\"\\u12g4\""), "JSON: byte 1");
  EXPECT_EQ(FaultAt("\"\\u+123\""), "JSON: byte 1");
  EXPECT_EQ(FaultAt("\"\\ud800\\ud800\""), "JSON: byte 1");
  EXPECT_EQ(FaultAt("\"12345678\x1f\""), "JSON: byte 9");
  EXPECT_EQ(FaultAt("\"\xff\""), "JSON: byte 1");
  for (const char* number : {"-", "+1", ".5", "1.", "1e", "1e+", "0x1", "1_0", "Infinity"}) {
    EXPECT_NE(FaultAt(number), "") << number;
  }
}

TEST(ParseJson, NestsAsDeepAsAllowed) {
  const auto nested = [](int depth) {
    const auto n = static_cast<std::size_t>(depth);
    return std::string(n, '[') + std::string(n, ']');
  };
  EXPECT_EQ(FaultAt(nested(kMaxJsonDepth)), "");
  EXPECT_EQ(FaultAt(nested(kMaxJsonDepth + 1)), "JSON: byte 256");
  EXPECT_EQ(FaultAt(std::string(1'000'000, '[')), "JSON: byte 256");
}

TEST(ParseJson, FindsTheEndOfStringsOfEveryLength) {
  for (std::size_t length = 0; length < 100; ++length) {
    const std::string text = "\"" + std::string(length, '~') + "\\\"" + std::string(length, '\x7f') + "é\"";
    EXPECT_EQ(FaultAt(text), "");
    EXPECT_EQ(ScanJsonString(text + "tail", 0), text.size());
  }
}

TEST(JsonString, EscapesWhatMustBeAndReadsBack) {
  const std::string text("\"\\/\b\f\n\r\t\0\x1f\x7fé€𝄞", 20);
  const Json json = JsonString(text);
  EXPECT_EQ(FaultAt(json.text()), "");
  EXPECT_EQ(UnescapeJson(json.text()), text);
  EXPECT_EQ(JsonString("").text(), "\"\"");
  EXPECT_EQ(JsonString(std::string_view()).text(), "\"\"");
}

TEST(UnescapeJson, UnderstandsEveryEscape) {
  EXPECT_EQ(UnescapeJson(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(UnescapeJson(R"("\u0041\u00e9\u20AC\ud834\uDD1E")"), "Aé€𝄞");
  EXPECT_EQ(UnescapeJson(R"("\u0000")"), std::string(1, '\0'));
}

TEST(JsonFields, WalksAnObject) {
  JsonFields fields(R"( { "a" : 1 , "\u0062":[ {} ]} tail)", 1);
  ASSERT_TRUE(fields.Next().value());
  EXPECT_TRUE(fields.KeyIs("a"));
  EXPECT_EQ(fields.value(), "1");
  ASSERT_TRUE(fields.Next().value());
  EXPECT_TRUE(fields.KeyIs("b"));
  EXPECT_EQ(fields.key(), R"("\u0062")");
  EXPECT_EQ(fields.value(), "[ {} ]");
  EXPECT_FALSE(fields.Next().value());
  EXPECT_EQ(fields.end(), 29u);
}

TEST(JsonFields, RefusesWhatIsNoObject) {
  for (const char* text : {"", "[]", "{", "{1:2}", "{\"a\" 1}", "{\"a\":1,}", "{,}", "{\"a\":1 \"b\":2}", "{\"a\":1"}) {
    JsonFields fields{std::string_view(text)};
    auto next = fields.Next();
    while (next && *next) next = fields.Next();
    EXPECT_FALSE(next) << text;
  }
}

// Any value, nested up to `depth`, with white space around everything.
std::string AnyValue(std::mt19937& random, int depth) {
  constexpr std::array kScalars{R"("")", R"("a{[\"b]},:\\")", R"("\u0041\\\"")", "-1.5e3", "0", "true",
                                "null",  R"("\ud83d\ude00")"};
  const auto space = [&] { return std::string(random() % 2, " \n\t"[random() % 3]); };
  if (depth == 0 || random() % 3 == 0) return kScalars.at(random() % kScalars.size());
  const bool object = random() % 2 == 0;
  std::string text(1, object ? '{' : '[');
  for (std::size_t left = random() % 4; left > 0; --left) {
    text += space();
    if (object) text += R"("k\"\u0062")" + space() + ":" + space();
    text += AnyValue(random, depth - 1) + space() + (left > 1 ? "," : "");
  }
  return text + space() + (object ? '}' : ']');
}

struct Walked {
  std::vector<std::string> keys, values;
  bool whole = false;
  std::size_t end = 0;
  bool operator==(const Walked&) const = default;
};

Walked Walk(std::string_view text, JsonTrust trust) {
  Walked walked;
  JsonFields fields(text, trust);
  auto next = fields.Next();
  for (; next.value_or(false); next = fields.Next()) {
    walked.keys.emplace_back(fields.key());
    walked.values.emplace_back(fields.value());
  }
  walked.whole = next.has_value();
  walked.end = fields.end();
  return walked;
}

TEST(JsonTrust, WalksAValidTextAsItIsWalkedWithChecks) {
  std::mt19937 random(1);
  for (int i = 0; i < 2'000; ++i) {
    const std::string text = "{\"a\" :" + AnyValue(random, 4) + ", \"b\":" + AnyValue(random, 2) + "} tail";
    const Walked walked = Walk(text, JsonTrust::kValid);
    ASSERT_TRUE(walked.whole) << text;
    ASSERT_EQ(walked, Walk(text, JsonTrust::kChecked)) << text;
    std::string pretty, again;
    AppendPretty(text.substr(0, walked.end), 1, pretty);
    AppendCompact(pretty, again);
    std::string compact;
    AppendCompact(text.substr(0, walked.end), compact);
    ASSERT_EQ(again, compact);
    ASSERT_FALSE(FindJsonFault(pretty)) << pretty;
  }
}

TEST(JsonTrust, ComesToAnEndOfAnyText) {
  constexpr std::string_view kLetters = "{}[]\",:\\ a1";
  std::mt19937 random(2);
  for (int i = 0; i < 50'000; ++i) {
    std::string text = "{\"a\":";
    for (std::size_t left = random() % 90; left > 0; --left) text += kLetters[random() % kLetters.size()];
    const Walked walked = Walk(text, JsonTrust::kValid);
    ASSERT_LE(walked.end, text.size()) << text;
    ASSERT_LE(walked.values.size(), text.size()) << text;
    std::string pretty;
    AppendPretty(text, 0, pretty);
  }
}

TEST(JsonElements, WalksAnArray) {
  JsonElements elements("[ 1 ,[2, 3],{} ] tail");
  std::vector<std::string_view> values;
  while (elements.Next().value()) values.push_back(elements.value());
  EXPECT_EQ(values, (std::vector<std::string_view>{"1", "[2, 3]", "{}"}));
  EXPECT_EQ(elements.end(), 16u);
}

TEST(JsonElements, RefusesWhatIsNoArray) {
  for (const char* text : {"", "{}", "[", "[1", "[1,", "[1,]", "[,]", "[1 2]"}) {
    JsonElements elements{std::string_view(text)};
    auto next = elements.Next();
    while (next && *next) next = elements.Next();
    EXPECT_FALSE(next) << text;
  }
}

TEST(FindJsonField, FindsTheFirstOfThatName) {
  const std::string json = R"({"a": {"b": 1}, "\u0062": "x\ny", "b": 2})";
  const auto field = FindJsonField(json, "b");
  ASSERT_TRUE(field);
  EXPECT_EQ(json.substr(field->begin, field->end - field->begin), R"("\u0062": "x\ny")");
  EXPECT_EQ(FindJsonString(json, "b"), "x\ny");
  EXPECT_FALSE(FindJsonString(json, "a"));
  EXPECT_FALSE(FindJsonField(json, "c"));
  EXPECT_FALSE(FindJsonField("[1]", "b"));
}

TEST(AppendJsonString, EscapesAsSerdeDoes) {
  std::string out;
  AppendJsonString(std::string_view("\"\\\b\f\n\r\t/\x01\x1f\x7f\0\xc3\xa9", 14), out);
  EXPECT_EQ(out, "\"\\\"\\\\\\b\\f\\n\\r\\t/\\u0001\\u001f\x7f\\u0000\xc3\xa9\"");
}

// What the visitor is told, as words.
struct Told : JsonVisitor {
  void Open(std::size_t at, bool object) { Add(object ? "object" : "array", at); }
  void Close(std::size_t at, bool object) { Add(object ? "end of object" : "end of array", at); }
  void Key(std::size_t at, std::string_view token) { Add("key " + std::string(token), at); }
  void Scalar(std::size_t at, std::string_view token) { Add(std::string(token), at); }
  void Add(const std::string& what, std::size_t at) { words.push_back(std::to_string(at) + " " + what); }

  std::vector<std::string> words;
};

TEST(VisitJson, GivesEverythingInTheOrderOfTheText) {
  Told told;
  const std::string_view json = R"( {"a":[1, "x\n",{}],"\u0062" : [ ] , "c":null})";
  EXPECT_EQ(VisitJson(json, 1, 0, told), json.size());
  EXPECT_EQ(told.words,
            (std::vector<std::string>{"1 object", "2 key \"a\"", "6 array", "7 1", "10 \"x\\n\"", "16 object",
                                      "17 end of object", "18 end of array", "20 key \"\\u0062\"", "31 array",
                                      "33 end of array", "37 key \"c\"", "41 null", "45 end of object"}));
}

TEST(VisitJson, StopsAtTheFirstFault) {
  Told told;
  EXPECT_EQ(VisitJson("[1,2", 0, 0, told).error().byte, 4u);
  EXPECT_EQ(told.words, (std::vector<std::string>{"0 array", "1 1", "3 2"}));
}

}  // namespace
}  // namespace turnlog::json_test
