#include "sanitize/secrets/text_sieve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/secrets/built_in_detector.h"
#include "tests/secrets/encodings.h"
#include "tests/secrets/fake_secrets.h"
#include "tests/secrets/planted_secrets.h"

namespace turnlog::text_sieve_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Left(const std::vector<std::string>& texts) {
  TextSieve sieve(Detector());
  for (const std::string& text : texts) sieve.Add(text);
  std::vector<std::string> left;
  sieve.Empty([&](std::string_view text) { left.emplace_back(text); });
  sieve.Empty([&](std::string_view) { ADD_FAILURE() << "not forgotten"; });
  return left;
}

// With line breaks, of which the lines after the first are indented.
std::string Wrapped(std::string_view base64, std::size_t width, std::size_t indentation) {
  std::string lines(base64.substr(0, width));
  for (std::size_t at = width; at < base64.size(); at += width)
    lines.append("\n").append(indentation, ' ').append(base64.substr(at, width));
  return lines;
}

std::string Coloured(std::string_view text, std::size_t at) {
  return std::string(text.substr(0, at)).append("\x1b[31m").append(text.substr(at));
}

// What may be at the end of a text, where the next one begins.
constexpr std::string_view kEnds[] = {"", "\\", "\"", "%", "&", "=", "\n", "\r", "\\u00", "a", "/", "\x1b"};

TEST(TextSieve, LetsEachTextPassInWhichSomethingIsFound) {
  FakeSecrets fake(7);
  std::size_t found = 0;
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    std::vector<std::string> texts;
    for (const PlantedSecret& planted : PlantedSecrets(seed)) {
      std::string text = planted.text();
      switch (fake.Below(5)) {
        case 0:
          break;
        case 1:
          text = EncodeSomehow(EncodeSomehow(text, fake), fake);
          break;
        case 2:
          text = Wrapped(EncodeBase64(text), 40 + fake.Below(40), fake.Below(3));
          break;
        case 3:
          text = Coloured(text, fake.Below(static_cast<std::uint32_t>(text.size())));
          break;
        case 4:
          text = EscapeJson(text, fake, 1 + fake.Below(4));
      }
      if (fake.OneIn(2)) text += kEnds[fake.Below(std::size(kEnds))];
      if (fake.OneIn(2)) texts.push_back(fake.Of(fake.OneIn(2) ? kBase64 : "ab \n\\\"", 1 + fake.Below(90)));
      if (text.size() <= TextSieve::kMaxBytes) texts.push_back(std::move(text));
      if (fake.OneIn(8)) texts.emplace_back();
    }
    const std::vector<std::string> left = Left(texts);
    auto next = left.begin();
    for (const std::string& text : texts) {
      if (Detector().Find(text).empty()) continue;
      ++found;
      next = std::find(next, left.end(), text);
      ASSERT_NE(next, left.end()) << text;
    }
  }
  EXPECT_GT(found, 1000U);
}

TEST(TextSieve, StopsWhatHasNoKeywordAndNothingEncoded) {
  const std::string key = "ghp_" + FakeSecrets(1).Of(kAlnum, 36);
  EXPECT_THAT(Left({"", "The build is green.", "crates/store/src/lib.rs:42", "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f",
                    R"({"text":"a\nb \"c\""})", "100 % of R&D", key, "toolu_01A09q90qw90lq917835lq9"}),
              ElementsAre(key));
  EXPECT_THAT(Left({}), IsEmpty());
}

// What is alike at the end of one text and the beginning of the next does not make one of them.
TEST(TextSieve, KeepsTextsApart) {
  EXPECT_THAT(Left({"see gh", "p_next", "a back\\", "nothing"}), ElementsAre("a back\\"));
}

}  // namespace
}  // namespace turnlog::text_sieve_test
