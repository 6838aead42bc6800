#include "sanitize/secrets/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sanitize/secrets/base64_runs.h"
#include "sanitize/secrets/escapes.h"
#include "tests/secrets/fake_secrets.h"

namespace turnlog::layers_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

std::string Undone(std::string_view text, EscapeKind kind = EscapeKind::kAny) {
  const auto reading = UndoEscapes(text, kind);
  return reading ? std::string(reading->text()) : "(none)";
}

TEST(Escapes, AreUndoneOneLevelAtATime) {
  EXPECT_EQ(Undone(R"(a\nb\"c\\n\/)"), "a\nb\"c\\n/");
  EXPECT_EQ(Undone(R"(\u0041\u00e4\u20AC\ud83d\udd11)"), "A\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\x91");
  EXPECT_EQ(Undone(R"(\x41\$\')"), "A$'");
  EXPECT_EQ(Undone("%41%c3%A4%25"), "A\xc3\xa4%");
  EXPECT_EQ(Undone("none of 100% them"), "(none)");
}

TEST(Escapes, WhatIsNoneStays) {
  EXPECT_EQ(Undone(R"(\n and \u00zz \u \x4 %4 %zz %)"), "\n and \\u00zz \\u \\x4 %4 %zz %");
  EXPECT_EQ(Undone(R"(\n\)"), "\n\\");
  EXPECT_EQ(Undone(R"(\n\u004)"), "\n\\u004");
  EXPECT_EQ(Undone(R"(\n\ud83d \udd11)"), "\n\\ud83d \\udd11");
  EXPECT_EQ(Undone(R"(\%6e)"), "\\n");  // the letter after the backslash appears only now
}

TEST(Escapes, EachKindAlone) {
  EXPECT_EQ(Undone(R"(\n%41)", EscapeKind::kBackslash), "\n%41");
  EXPECT_EQ(Undone(R"(\n%41)", EscapeKind::kPercent), "\\nA");
  EXPECT_EQ(Undone(R"(\n)", EscapeKind::kPercent), "(none)");
}

TEST(Escapes, EveryByteKnowsWhereItStood) {
  const auto reading = UndoEscapes(R"(ab\ncd\u0041ef%42)");
  ASSERT_TRUE(reading);
  ASSERT_EQ(reading->text(), "ab\ncdAefB");
  EXPECT_EQ(reading->Source({0, 2}), (TextSpan{0, 2}));
  EXPECT_EQ(reading->Source({1, 3}), (TextSpan{1, 4}));
  EXPECT_EQ(reading->Source({2, 3}), (TextSpan{2, 4}));
  EXPECT_EQ(reading->Source({3, 6}), (TextSpan{4, 12}));
  EXPECT_EQ(reading->Source({8, 9}), (TextSpan{14, 17}));
}

TEST(Escapes, ASpanGrowsByWhatItCuts) {
  const auto whole = [](std::string_view text, TextSpan span) {
    const TextSpan grown = WholeEscapes(text, span);
    return std::string(text.substr(grown.begin, grown.size()));
  };
  EXPECT_EQ(whole(R"(a\nbc)", {2, 4}), R"(\nb)");
  EXPECT_EQ(whole(R"(a\\nbc)", {3, 5}), "nb");
  EXPECT_EQ(whole(R"(a\\\nbc)", {4, 6}), R"(\nb)");
  EXPECT_EQ(whole(R"(ab\n)", {0, 3}), R"(ab\n)");
  EXPECT_EQ(whole(R"(\u0041b)", {4, 7}), R"(\u0041b)");
  EXPECT_EQ(whole(R"(b\u0041)", {0, 3}), R"(b\u0041)");
  EXPECT_EQ(whole(R"(\ud83d\udd11b)", {8, 13}), R"(\ud83d\udd11b)");
  EXPECT_EQ(whole("abc", {0, 3}), "abc");
}

std::vector<std::string> Runs(std::string_view text, std::size_t min_bytes) {
  std::vector<std::string> runs;
  for (const TextSpan& run : FindBase64Runs(text, {.min_bytes = min_bytes}))
    runs.emplace_back(text.substr(run.begin, run.size()));
  return runs;
}

TEST(Base64Runs, AreTheLongestPiecesThatAreLongEnough) {
  EXPECT_THAT(Runs("aGVsbG8= and aGVsbG8gd29ybGQ=, x", 6), ElementsAre("aGVsbG8gd29ybGQ="));
  EXPECT_THAT(Runs("aGVsbG8= and aGVsbG8gd29ybGQ=, x", 5), ElementsAre("aGVsbG8=", "aGVsbG8gd29ybGQ="));
  EXPECT_THAT(Runs("aGVsbG8gd29ybGQ", 6), ElementsAre("aGVsbG8gd29ybGQ"));
  EXPECT_THAT(Runs("aGVsbG8gd29-_+/Q===", 6), ElementsAre("aGVsbG8gd29-_+/Q=="));
  EXPECT_THAT(Runs("short words only", 6), IsEmpty());
  EXPECT_THAT(Runs("", 6), IsEmpty());
}

TEST(Base64Runs, LongLinesAreOne) {
  const std::string line(64, 'A');
  EXPECT_THAT(Runs(line + "\n" + line + "\r\nQUJD\n\nend", 6), ElementsAre(line + "\n" + line + "\r\nQUJD"));
  EXPECT_THAT(Runs(line + "\n" + line, 96), ElementsAre(line + "\n" + line));
  EXPECT_THAT(Runs(line + "\n" + line, 97), IsEmpty());
  EXPECT_THAT(Runs("QUJDREVGR0hJSktM\nQUJDREVGR0hJSktM", 12), ElementsAre("QUJDREVGR0hJSktM", "QUJDREVGR0hJSktM"));
}

TEST(Base64Runs, LinesMayBeIndented) {
  const std::string line(64, 'A');
  const std::string block = line + "\n    " + line + "\r\n\t" + line + "\n  QUJD";
  EXPECT_THAT(Runs("data: |\n    " + block + "\nend", 6), ElementsAre(block));
  EXPECT_THAT(Runs("\"" + block + "=\"", 6), ElementsAre(block + "="));
  EXPECT_THAT(Runs(line + "\n    QUJD is a word", 6), ElementsAre(line)) << "the line goes on";
  EXPECT_THAT(Runs(line + "\n    " + line + " x", 6), ElementsAre(line, line));
  EXPECT_THAT(Runs(line + "    " + line, 6), ElementsAre(line, line)) << "no line break";
  EXPECT_THAT(Runs(line + "\n    ", 6), ElementsAre(line));
}

std::vector<std::string> Layers(std::string_view text, std::size_t min_bytes = 6) {
  std::vector<std::string> layers;
  ForEachLayer(text, {.min_bytes = min_bytes}, [&](const Layer& layer) { layers.emplace_back(layer.text()); });
  return layers;
}

TEST(Layers, PlainTextHasOne) {
  EXPECT_THAT(Layers("a plain text"), ElementsAre("a plain text"));
  EXPECT_THAT(Layers(""), ElementsAre(""));
}

TEST(Layers, EachLevelOfEscapesIsOne) {
  EXPECT_THAT(Layers(R"(a\\\\n)"), ElementsAre(R"(a\\\\n)", R"(a\\n)", R"(a\n)", "a\n"));
}

TEST(Layers, Base64InEscapesInBase64IsFound) {
  const std::string inner = EncodeBase64("the innermost text of all");
  const std::string outer = EncodeBase64("{\"x\":\"" + inner.substr(0, 5) + "\\u00" + "%xx\\n" + inner + "\"}");
  EXPECT_THAT(Layers(outer), Contains("the innermost text of all\n"));
}

TEST(Layers, MapSpansToWhatToRemoveFromTheText) {
  const std::string text = "x " + EncodeBase64("{\"a\":\"b\\nneedle\"}") + " y";
  TextSpan place;
  ForEachLayer(text, {.min_bytes = 6}, [&](const Layer& layer) {
    const std::size_t at = layer.text().find("\nneedle");
    if (at != std::string_view::npos) place = layer.AtBottom({at, at + 7});
  });
  EXPECT_EQ(place, (TextSpan{2, text.size() - 2}));
}

// What is far from any escape is not decoded again.
TEST(Layers, OnlyTheSurroundingsOfEscapesAreDecoded) {
  const std::string far(5000, ' ');
  std::vector<std::string> layers;
  ForEachLayer("first\\n" + far + "\\u0041 second", {.min_bytes = 6, .around = 10},
               [&](const Layer& layer) { layers.emplace_back(layer.text()); });
  EXPECT_THAT(layers, ElementsAre(testing::SizeIs(far.size() + 20), "first\n" + std::string(10, ' '),
                                  std::string(10, ' ') + "A second"));
}

TEST(Layers, APartHasMoreTextIfItAsksForIt) {
  const std::string text = "\\n" + std::string(5000, ' ') + "\\n" + std::string(100, ' ');
  std::vector<std::size_t> sizes;
  ForEachLayer(text, {.min_bytes = 6, .around = 10}, [&](Layer& layer) {
    sizes.push_back(layer.text().size());
    layer.AskForMore();
  });
  EXPECT_THAT(sizes, ElementsAre(text.size(), 11, 651, text.size() - 2));
}

// Random escapes in random texts: every piece of the decoded text that has an escape in it is in one of the parts, and
// comes from the same bytes.
TEST(Layers, PartsAreWhatTheWholeTextDecodesTo) {
  FakeSecrets fake(3);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (std::size_t pieces = 1 + fake.Below(6); pieces > 0; --pieces) {
      text += fake.Of("ab \"\\", 1 + fake.Below(60));
      text += fake.Below(2) == 0 ? "\\u0041" : fake.Below(2) == 0 ? "%41" : "&quot;";
    }
    const auto whole = UndoEscapes(text);
    ASSERT_TRUE(whole);
    EscapedParts parts(text, EscapeKind::kAny);
    std::size_t end = 0;
    std::string decoded;
    for (auto part = parts.Next(5); part; part = parts.Next(5)) {
      ASSERT_GE(part->begin, end);
      decoded += text.substr(end, part->begin - end);
      const auto reading = UndoEscapes(std::string_view(text).substr(part->begin, part->size()));
      decoded += reading ? reading->text() : text.substr(part->begin, part->size());
      end = part->end;
    }
    EXPECT_EQ(decoded + text.substr(end), whole->text()) << text;
  }
}

}  // namespace
}  // namespace turnlog::layers_test
