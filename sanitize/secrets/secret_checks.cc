#include "sanitize/secrets/secret_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sanitize/secrets/base64_runs.h"
#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

enum class Kind { kLower, kUpper, kDigit, kOther };

Kind KindOf(char letter) {
  if (letter >= 'a' && letter <= 'z') return Kind::kLower;
  if (letter >= 'A' && letter <= 'Z') return Kind::kUpper;
  return letter >= '0' && letter <= '9' ? Kind::kDigit : Kind::kOther;
}

bool IsPrintable(char letter) { return letter >= ' ' && letter <= '~'; }

struct Letters {
  std::size_t lower = 0, upper = 0, digits = 0;
  double places = 0;   // pairs of adjacent letters or digits
  double changes = 0;  // pairs of different kinds
};

Letters CountLetters(std::string_view text) {
  Letters letters;
  Kind last = Kind::kOther;
  for (const char letter : text) {
    const Kind kind = KindOf(letter);
    if (kind == Kind::kLower) ++letters.lower;
    if (kind == Kind::kUpper) ++letters.upper;
    if (kind == Kind::kDigit) ++letters.digits;
    if (kind != Kind::kOther && last != Kind::kOther) {
      ++letters.places;
      if (kind != last) ++letters.changes;
    }
    last = kind;
  }
  return letters;
}

// Number of letters in possible words: four or more letters with a vowel, all but the first lower case.
double LettersInWords(std::string_view text) {
  constexpr std::size_t kMinWord = 4;
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && KindOf(text[end]) == Kind::kLower) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (word.size() >= kMinWord && word.find_first_of("aeiou") != std::string_view::npos) count += word.size();
    at = end;
  }
  return static_cast<double>(count);
}

// The whole of `text` as base64, and a line break.
DecodedText Decode(std::string_view text) {
  std::vector<TextSpan> runs = {{0, text.size()}};
  return DecodeBase64Runs(text, runs, 0).decoded;
}

}  // namespace

double Entropy(std::string_view text) {
  std::array<double, 256> counts{};
  for (const char letter : text) ++counts[static_cast<unsigned char>(letter)];
  double bits = 0;
  for (const double count : counts) {
    if (count > 0) bits -= count * std::log2(count / static_cast<double>(text.size()));
  }
  return text.empty() ? 0 : bits / static_cast<double>(text.size());
}

bool IsJwt(std::string_view text) {
  const DecodedText header = Decode(text.substr(0, text.find('.')));
  JsonFields fields(header.text());
  while (fields.Next().value_or(false)) {
    if (fields.KeyIs("alg")) return true;
  }
  return false;
}

bool IsBasicAuth(std::string_view text) {
  const DecodedText decoded = Decode(text);
  const std::string_view pair = decoded.text().substr(0, decoded.text().size() - 1);
  const std::size_t colon = pair.find(':');
  return colon != std::string_view::npos && colon > 0 && pair.size() - colon > 3 &&
         std::ranges::all_of(pair, IsPrintable);
}

bool LooksRandom(std::string_view text) {
  constexpr double kMinChanges = 0.25;  // of all pairs; random hexadecimal digits have 0.47
  constexpr double kMaxWords = 0.34;    // of the letters; names have nearly all of them in words
  const Letters letters = CountLetters(text);
  if (letters.changes < kMinChanges * letters.places || letters.digits == text.size()) return false;
  if (letters.digits >= 2) return true;
  return letters.lower > 0 && letters.upper > 0 && LettersInWords(text) < kMaxWords * static_cast<double>(text.size());
}

bool LooksLikePassword(std::string_view text) {
  if (text.find_first_of("(){}[]<>;,\\") != std::string_view::npos) return false;  // code
  if (text.starts_with('/') || text.starts_with("./") || text.contains("://") || text.starts_with('$')) return false;
  const auto has = [&](Kind kind) { return std::ranges::any_of(text, [=](char c) { return KindOf(c) == kind; }); };
  const bool letters = has(Kind::kLower) || has(Kind::kUpper);
  const bool signs = text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-:/") !=
                     std::string_view::npos;
  return letters && (has(Kind::kDigit) || signs || LooksRandom(text));
}

}  // namespace turnlog
