// What a pattern finds in a text, and that the fast test of an encoded record has no false negatives.
#include "search/pattern.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "schema/event/codec.h"
#include "search/matching_lines.h"
#include "tests/store/log_fixture.h"
#include "turnlog/json.h"

namespace turnlog::pattern_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Found(const SearchPattern& pattern, std::string_view text) {
  std::vector<std::string> lines;
  Must(Pattern::Compile(pattern)).ForEachLine(text, [&](std::string_view line, const std::vector<MatchSpan>& matches) {
    std::string marked(line);
    for (auto match = matches.rbegin(); match != matches.rend(); ++match) {
      marked.insert(match->end, ">").insert(match->begin, "<");
    }
    lines.push_back(marked);
    return true;
  });
  return lines;
}

TEST(PatternTest, ATextMatchesItself) {
  EXPECT_THAT(Found({.text = "a.c"}, "abc a.c\n"), ElementsAre("abc <a.c>"));
  EXPECT_THAT(Found({.text = "A"}, "a"), IsEmpty());
  EXPECT_THAT(Found({.text = "A", .ignore_case = true}, "a"), ElementsAre("<a>"));
}

TEST(PatternTest, GivesEachMatchingLineOnceWithAllItsMatches) {
  EXPECT_THAT(Found({.text = "x"}, "x.x\nno\n\nx"), ElementsAre("<x>.<x>", "<x>"));
  EXPECT_THAT(Found({.text = "end"}, "the end"), ElementsAre("the <end>"));
}

TEST(PatternTest, ExpressionsSeeOneLineAtATime) {
  EXPECT_THAT(Found({.text = "^b.*$", .regex = true}, "ab\nbc\nb"), ElementsAre("<bc>", "<b>"));
  EXPECT_THAT(Found({.text = "a\\s*b", .regex = true}, "a\nb\na b"), ElementsAre("<a b>"));
  EXPECT_THAT(Found({.text = "[^x]+", .regex = true}, "ab\ncd"), ElementsAre("<ab>", "<cd>"));
}

TEST(PatternTest, WhatMatchesNothingMatchesEveryLine) {
  EXPECT_THAT(Found({.text = ""}, "a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(Found({.text = "z*", .regex = true}, "a\nzz"), ElementsAre("a", "<zz>"));
}

TEST(PatternTest, RefusesWhatItCannotMatch) {
  EXPECT_EQ(CodeOf(Pattern::Compile({.text = "(", .regex = true})), "invalid argument");
  EXPECT_EQ(CodeOf(Pattern::Compile({.text = "a\nb"})), "invalid argument");
}

// A text of few letters, some of which JSON may escape.
std::string RandomText(std::mt19937& random, std::size_t length) {
  constexpr std::string_view kLetters = "aabbcC./\"\\\t ";
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += kLetters[random() % kLetters.size()];
  return text;
}

// `text` as a JSON string, each character in a form chosen at random.
std::string RandomJson(std::mt19937& random, std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    const bool special = c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
    if (random() % 8 == 0) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (c == '\t') {
      json += "\\t";
    } else {
      if (special || (c == '/' && random() % 2 == 0)) json += '\\';
      json += c;
    }
  }
  return json + "\"";
}

TEST(PatternTest, TheFastLookMissesNothingThatTheTextsHave) {
  std::mt19937 random(1);
  EventEncoder encoder;
  int matches = 0, passed_over = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = RandomText(random, random() % 12);
    std::string wanted = RandomText(random, 1 + random() % 4);
    const bool regex = random() % 3 == 0;
    if (regex) wanted = fmt::format("({}|{})c?", wanted.front() == '\\' ? "a" : "abc", "b[ab]c");
    Event event{.body = ToolCallRequest{.id = "c", .name = text.empty() ? "n" : text, .arguments = {}}};
    if (random() % 2 == 0) {
      event.body = ToolCallRequest{
          .id = "c", .name = "n", .arguments = Json::FromTrusted("{\"k\":" + RandomJson(random, text) + "}")};
    }
    const Pattern pattern = Must(Pattern::Compile({.text = wanted, .regex = regex, .ignore_case = random() % 2 == 0}));
    const std::string_view payload = encoder.Encode(View(event));
    const bool may_be = pattern.MayBeIn(payload), is = Matches(View(event), pattern);
    ASSERT_TRUE(may_be || !is) << "round " << round << ", pattern " << wanted << ", text " << text;
    matches += is ? 1 : 0;
    passed_over += may_be ? 0 : 1;
  }
  EXPECT_GT(matches, 1'000);
  EXPECT_GT(passed_over, 1'000);
}

}  // namespace
}  // namespace turnlog::pattern_test
