#include "sanitize/secrets/key_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/secrets/built_in_detector.h"
#include "tests/secrets/fake_secrets.h"

namespace turnlog::key_block_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

const std::string kBegin = std::string("-----BEGIN PRIVATE") + " KEY-----";
const std::string kEnd = std::string("-----END PRIVATE") + " KEY-----";

// The lines of the body of a key; the last one is shorter.
std::vector<std::string> Body(std::size_t lines, std::uint32_t seed = 1) {
  FakeSecrets fake(seed);
  std::vector<std::string> body(lines);
  for (std::string& line : body) line = fake.Of(kBase64, 64);
  body.back() = fake.Of(kBase64, 22) + "==";
  return body;
}

std::string Joined(const std::vector<std::string>& body) {
  std::string joined;
  for (const std::string& line : body) joined += line + "\n";
  return joined;
}

using Decorate = std::function<std::string(const std::string& line, int number)>;

std::string Shown(const std::vector<std::string>& body, const Decorate& decorate) {
  std::string text = decorate(kBegin, 1);
  int number = 1;
  for (const std::string& line : body) text += decorate(line, ++number);
  return text + decorate(kEnd, ++number);
}

TEST(KeyBlock, IsFoundHoweverItIsShown) {
  const std::vector<std::string> body = Body(9);
  const std::vector<std::pair<const char*, Decorate>> ways = {
      {"plain", [](const std::string& line, int) { return line + "\n"; }},
      {"with carriage returns", [](const std::string& line, int) { return line + "\r\n"; }},
      {"indented", [](const std::string& line, int) { return "    " + line + "\n"; }},
      {"numbered", [](const std::string& line, int n) { return "    " + std::to_string(n) + "→" + line + "\n"; }},
      {"cat -n", [](const std::string& line, int n) { return "     " + std::to_string(n) + "\t" + line + "\n"; }},
      {"a removed line of a diff", [](const std::string& line, int) { return "-" + line + "\n"; }},
      {"an added line of a diff", [](const std::string& line, int) { return "+" + line + "\n"; }},
      {"quoted", [](const std::string& line, int) { return "> " + line + "\n"; }},
      {"in a box", [](const std::string& line, int) { return "│ " + line + " │\n"; }},
      {"grep -n", [](const std::string& line, int n) { return std::to_string(n) + ":" + line + "\n"; }},
      {"grep -rn",
       [](const std::string& line, int n) { return "etc/key.pem:" + std::to_string(n) + ":" + line + "\n"; }},
      {"a list", [](const std::string& line, int) { return "  \"" + line + "\",\n"; }},
      {"a concatenation", [](const std::string& line, int) { return "  '" + line + "\\n' +\n"; }},
      {"a comment", [](const std::string& line, int) { return "// " + line + "\n"; }},
      {"colours", [](const std::string& line, int) { return "\x1b[32m+" + line + "\x1b[m\n"; }},
      {"escaped line breaks", [](const std::string& line, int) { return line + "\\n"; }},
      {"twice escaped", [](const std::string& line, int) { return line + "\\\\n"; }},
      {"one line", [](const std::string& line, int) { return line + " "; }},
      {"a table", [](const std::string& line, int n) { return "| " + std::to_string(n) + " | " + line + " |\n"; }},
  };
  for (const auto& [name, decorate] : ways) {
    const std::string text = "before\n" + Shown(body, decorate) + "after\n";
    const auto found = Detector().Find(text);
    ASSERT_THAT(found, SizeIs(1)) << name;
    EXPECT_EQ(Detector().rule(found[0].rule).id, "private-key");
    EXPECT_EQ(text.substr(found[0].span.begin, kBegin.size()), kBegin) << name;
    EXPECT_TRUE(text.substr(0, found[0].span.end).ends_with(kEnd)) << name;
    EXPECT_EQ(found[0].value.view(), Joined(body)) << name;
  }
}

TEST(KeyBlock, MayBeOfAnyLength) {
  for (const std::size_t lines : {2U, 100U, 700U, 1600U}) {
    const std::string text = kBegin + "\n" + Joined(Body(lines)) + kEnd + "\nafter";
    const auto found = Detector().Find(text);
    ASSERT_THAT(found, SizeIs(1)) << lines;
    EXPECT_EQ(found[0].span, (TextSpan{0, text.size() - 6}));
  }
}

TEST(KeyBlock, WithoutAnEndItEndsWithItsLastLine) {
  const std::string block = kBegin + "\n" + Joined(Body(6));
  const std::string text = block.substr(0, block.size() - 30) + "\n... (20 lines omitted)\nnext: 1\n";
  const auto found = Detector().Find(text);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(text.substr(found[0].span.end, 5), "\n... ");
}

TEST(KeyBlock, HeadersOfAnyContentDoNotHideIt) {
  const std::string pgp = std::string("-----BEGIN PGP PRIVATE") +
                          " KEY BLOCK-----\nVersion: GnuPG v2\nComment: example of " + "a placeholder\n\n" +
                          Joined(Body(9)) + "=Ab3d\n-----END PGP PRIVATE" + " KEY BLOCK-----\n";
  const auto found = Detector().Find(pgp);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].span, (TextSpan{0, pgp.size() - 1}));
}

TEST(KeyBlock, NeedsAKey) {
  for (const std::string& text :
       {kBegin, kBegin + "\n" + kEnd, kBegin + "\n...\n" + kEnd, kBegin + "\n<your key here>\n" + kEnd,
        kBegin + "\n" + std::string(64, 'A') + "\n" + std::string(64, 'A') + "\n" + kEnd,
        "const begin = \"" + kBegin + "\";\nconst end = \"" + kEnd + "\";\n",
        "if (!text.startsWith(\"" + kBegin + "\")) {\n  throw new UnsupportedPrivateKeyFormatError(path);\n}\n"})
    EXPECT_THAT(Detector().Find(text), IsEmpty()) << text;
}

TEST(KeyBlock, TheNextOneBeginsAnother) {
  const std::string one = kBegin + "\n" + Joined(Body(5, 1)) + kEnd + "\n";
  const std::string two = kBegin + "\n" + Joined(Body(5, 2)) + kEnd + "\n";
  EXPECT_THAT(Detector().Find(one + two), SizeIs(2));
  EXPECT_THAT(Detector().Find(kBegin + "\n" + two), SizeIs(1));
}

// Only the header can be read as one after its escapes are decoded; the rest of the block has none.
TEST(KeyBlock, IsWholeFarBeyondTheLastEscape) {
  const std::vector<std::string> body = Body(600);
  std::string block = kBegin + "\n" + Joined(body) + kEnd;
  block.replace(0, 1, "\\u002d");
  const std::string text = std::string(3000, ' ') + block + std::string(3000, ' ');
  const auto found = Detector().Find(text);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].span, (TextSpan{3000, 3000 + block.size()}));
  EXPECT_TRUE(found[0].value.view() == Joined(body));
}

}  // namespace
}  // namespace turnlog::key_block_test
