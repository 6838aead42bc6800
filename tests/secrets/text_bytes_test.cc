// What skips sixteen bytes at a time, against one byte at a time.
#include "sanitize/secrets/text_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/base64.h"
#include "sanitize/secrets/ascii_in_base64.h"
#include "sanitize/secrets/base64_runs.h"
#include "sanitize/secrets/compressed_runs.h"
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
    EXPECT_EQ(FindBase64Runs(text, {.min_bytes = min_bytes}), expected) << text;
  }
}

// Letter by letter, from `phase` on; what is no letter is left out.
std::string DecodeByLetter(std::string_view run, std::size_t phase) {
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (const char letter : run.substr(phase)) {
    const std::size_t value = std::min(kBase64.find(letter), kWeb64.find(letter));
    if (value == std::string_view::npos) continue;
    bits = bits << 6 | static_cast<unsigned>(value);
    if (++count % 4 != 1) bytes += static_cast<char>(bits >> (6 - 2 * ((count - 1) % 4)) & 0xff);
  }
  return bytes;
}

// The bytes in base64 of either alphabet, after one to four letters that belong to nothing, wrapped or not.
std::string MakeRun(std::mt19937& random, const std::string& bytes) {
  std::string letters =
      std::string(1 + random() % 4, 'x') + EncodeBase64(bytes, random() % 2 == 0 ? kBase64 : kWeb64, random() % 2 == 0);
  if (random() % 3 == 0) {
    const std::string line_break = "\n" + std::string(random() % 3, ' ');
    for (std::size_t at = 76; at < letters.size(); at += 76 + line_break.size()) letters.insert(at, line_break);
  }
  return letters;
}

TEST(TextBytes, Base64IsDecodedAsLetterByLetter) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string run = MakeRun(random, Mixed(random, "text\x80\xff", random() % 300, 9));
    if (random() % 4 == 0) run[random() % run.size()] = '.';
    const std::size_t phase = random() % kBase64Phases;
    if (run.size() <= phase) continue;
    std::vector<TextSpan> runs{{0, run.size()}};
    EXPECT_EQ(DecodeBase64Runs(run, runs, phase).decoded.text(), DecodeByLetter(run, phase) + '\n') << run;
  }
}

TEST(TextBytes, NoPhaseOfTextIsRuledOut) {
  std::mt19937 random(4);
  for (int i = 0; i < 3000; ++i) {
    const std::size_t min_bytes = 6 + random() % 60;
    const std::string noise = Mixed(random, "\x80\xff\x01", random() % 200, 2);
    const std::string text = Mixed(random, "Some text, 12.", min_bytes + random() % 3, 100000);
    const std::string run = MakeRun(random, noise + text + noise);
    for (std::size_t phase = 0; phase < kBase64Phases; ++phase) {
      if (!DecodeByLetter(run, phase).contains(text)) continue;
      const Base64PhaseSet only = Base64PhaseSet{1} << phase;
      EXPECT_EQ(AsciiInBase64("%%" + run + "%%").PhasesOf({2, 2 + run.size()}, min_bytes, kAllBase64Phases) & only,
                only);
      EXPECT_EQ(AsciiInBase64(run).PhasesOf({0, run.size()}, min_bytes, only), only);
    }
  }
}

// Words, paths and base64 with what ends or precedes these.
std::string MixedWords(std::mt19937& random) {
  constexpr std::string_view kWords[]{
      "conversations", "a/long/path/to/a_file", "eJwrSS0uAQAEXQHB",          "H4sIAAAAAAAAA0vOz0vLTAcA",
      "ABABABA",       "c2VjcmV0IHRleHQ",       "dABlAHgAdAAsACAAbQBvAHIAZQ"};
  constexpr std::string_view kBetween[]{" ", "\\n", "\\", "\n", "==", "=", ".", ""};
  std::string text = Mixed(random, " ab", random() % 70, 1000);
  constexpr std::size_t kFew = 12, kMany = 300;  // more than are looked at at once
  for (std::size_t left = random() % (random() % 50 == 0 ? kMany : kFew); left > 0; --left) {
    text += random() % 2 == 0 ? std::string(kWords[random() % std::size(kWords)])
                              : Mixed(random, kAlnum, random() % 60, 1000);
    text += kBetween[random() % std::size(kBetween)];
  }
  return text;
}

// Of a run that is left out, no closer look finds anything.
TEST(TextBytes, RunsOfBase64AreLeftOutOnlyIfTheyHoldNothing) {
  std::mt19937 random(6);
  std::size_t left_out = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = MixedWords(random);
    const std::size_t min_bytes = 6 + random() % 40;
    const Base64Contents contents{.min_bytes = std::min<std::size_t>(min_bytes, 16),
                                  .min_ascii = min_bytes,
                                  .utf16 = random() % 2 == 0,
                                  .compressed = random() % 2 == 0};
    const std::vector<TextSpan> all = FindBase64Runs(text, {.min_bytes = contents.min_bytes});
    const std::vector<TextSpan> some = FindBase64Runs(text, contents);
    EXPECT_EQ(FindBase64Runs(text, contents, Vectors::kNone), some) << text;
    EXPECT_EQ(FindBase64Runs(text, contents, Vectors::kAvx2), some) << text;
    EXPECT_TRUE(std::ranges::includes(all, some, {}, &TextSpan::begin, &TextSpan::begin));
    std::vector<TextSpan> none;
    std::ranges::set_difference(all, some, std::back_inserter(none), {}, &TextSpan::begin, &TextSpan::begin);
    left_out += none.size();
    AsciiInBase64 ascii(text);
    for (const TextSpan& run : none) {
      const std::string_view letters = std::string_view(text).substr(run.begin, run.size());
      EXPECT_LT(letters.size(), 42) << letters;
      EXPECT_EQ(ascii.PhasesOf(run, min_bytes, kAllBase64Phases), 0) << letters;
      EXPECT_FALSE(contents.utf16 && ascii.MayHoldUtf16(run)) << letters;
      EXPECT_FALSE(contents.compressed && (MayBeCompressed(letters) || MayBeCompressedAfterEscape(text, run)))
          << letters;
    }
  }
  EXPECT_GT(left_out, 10000);
}

// All of a run is text if each letter may be; few others pass, all of them short.
TEST(TextBytes, RunsOfTextAreKnownWithoutDecoding) {
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = Mixed(random, "Some text, 12.\n\t", 3 * (10 + random() % 80), std::size_t{1} << 31);
    std::string run;
    AppendBase64(bytes, run);
    EXPECT_TRUE(AsciiInBase64("%%" + run + "%%").IsText({2, 2 + run.size()})) << run;
    bytes[random() % bytes.size()] = random() % 2 == 0 ? '\x80' : '\xff';
    run.clear();
    AppendBase64(bytes, run);
    EXPECT_FALSE(AsciiInBase64("%%" + run + "%%").IsText({2, 2 + run.size()})) << run;
  }
}

}  // namespace
}  // namespace turnlog::text_bytes_test
