// What skips sixteen bytes at a time, against one byte at a time.
#include "sanitize/secrets/text_bytes.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "sanitize/secrets/base64_runs.h"
#include "tests/secrets/fake_secrets.h"

namespace turnlog::text_bytes_test {
namespace {

bool IsPlain(char byte) { return (byte >= ' ' && byte <= '~') || byte == '\n' || byte == '\t' || byte == '\r'; }
bool IsNonText(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return (byte < 0x20 && !IsPlain(letter)) || byte == 0x7f || byte == 0xc0 || byte == 0xc1 || byte >= 0xf5;
}

// Mostly of `usual`, with any byte now and then.
std::string Mixed(std::mt19937& random, std::string_view usual, std::size_t size, std::size_t one_in) {
  std::string text;
  while (text.size() < size) {
    text += random() % one_in == 0 ? static_cast<char>(random()) : usual[random() % usual.size()];
  }
  return text;
}

TEST(TextBytes, AreSkippedAsOneByOne) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = Mixed(random, "abc XYZ~\n\xc3\xa4", random() % 80, 1 + random() % 40);
    const std::size_t at = text.empty() ? 0 : random() % text.size();
    std::size_t plain = at, last = at + random() % (text.size() - at + 1);
    const std::size_t count = last - at;
    while (plain < text.size() && IsPlain(text[plain])) ++plain;
    while (last > at && !IsNonText(text[last - 1])) --last;
    EXPECT_EQ(SkipPlainAscii(text, at), plain);
    EXPECT_EQ(SkipLastNonText(text, at, count), last);
  }
}

// Runs without line breaks between them: all maximal ones that are long enough.
TEST(TextBytes, RunsOfBase64AreFoundAsOneByOne) {
  std::mt19937 random(2);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = Mixed(random, random() % 2 == 0 ? kAlnum : "ab/+-_.", random() % 120, 3 + random() % 20);
    const std::size_t min_bytes = 3 + random() % 14;
    const std::size_t min_letters = min_bytes / 3 * 4 + (min_bytes % 3 * 8 + 5) / 6;
    if (text.contains('\n') || text.contains('\r')) continue;
    std::vector<TextSpan> expected;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      while (end < text.size() && (kBase64.contains(text[end]) || kWeb64.contains(text[end]))) ++end;
      const std::size_t letters = end;
      while (end < text.size() && end - letters < 2 && text[end] == '=') ++end;
      if (letters - at >= min_letters) expected.push_back({at, end});
      at = std::max(at + 1, letters);
    }
    EXPECT_EQ(FindBase64Runs(text, min_bytes), expected) << text;
  }
}

}  // namespace
}  // namespace turnlog::text_bytes_test
