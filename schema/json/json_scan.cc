#include "schema/json/json_scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/hex.h"
#include "base/try.h"
#include "base/utf8.h"
#include "schema/json/json_visitor.h"

namespace turnlog {
namespace {

std::unexpected<JsonFault> Fault(std::size_t byte, const char* what) { return std::unexpected(JsonFault{byte, what}); }

char At(std::string_view text, std::size_t byte) { return byte < text.size() ? text[byte] : '\0'; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsSpecial(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

// Several letters at a time. Most texts are long, and escapes in them are some words apart.
#if defined(__SSE2__)
struct Letters {
  static constexpr std::size_t kCount = 16;
  explicit Letters(const char* text) : all(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text))) {}

  // Below, a bit for each letter.
  std::uint32_t Special() const {
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(all, _mm_set1_epi8(0x1f)), all);
    const __m128i quote = _mm_or_si128(control, _mm_cmpeq_epi8(all, _mm_set1_epi8('"')));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_or_si128(quote, _mm_cmpeq_epi8(all, _mm_set1_epi8('\\')))));
  }
  std::uint32_t Backslashes() const {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8('\\'))));
  }
  std::uint32_t Unlike(const Letters& other) const {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(all, other.all))) ^ 0xffff;
  }
  void Store(char* to) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), all); }

  __m128i all;
};
#else
struct Letters {
  static constexpr std::size_t kCount = 8;
  explicit Letters(const char* text) { std::memcpy(all.data(), text, kCount); }

  template <class Predicate>
  std::uint32_t Where(Predicate&& holds) const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kCount; ++i) bits |= static_cast<std::uint32_t>(holds(i)) << i;
    return bits;
  }
  std::uint32_t Special() const {
    return Where([&](std::size_t i) { return IsSpecial(all[i]); });
  }
  std::uint32_t Backslashes() const {
    return Where([&](std::size_t i) { return all[i] == '\\'; });
  }
  std::uint32_t Unlike(const Letters& other) const {
    return Where([&](std::size_t i) { return all[i] != other.all[i]; });
  }
  void Store(char* to) const { std::memcpy(to, all.data(), kCount); }

  std::array<char, kCount> all;
};
#endif

// What the letter after a backslash stands for; 0: it is not one of the simple escapes.
constexpr std::array<char, 256> kSimpleEscapes = [] {
  std::array<char, 256> meanings{};
  constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  for (std::size_t i = 0; i < kNames.size(); ++i) meanings[static_cast<unsigned char>(kNames[i])] = kMeanings[i];
  return meanings;
}();

char SimpleEscape(char name) { return kSimpleEscapes[static_cast<unsigned char>(name)]; }

// The code unit after "\u" at text[begin].
std::optional<std::uint32_t> CodeUnit(std::string_view text, std::size_t begin) {
  if (At(text, begin) != '\\' || At(text, begin + 1) != 'u' || begin + 6 > text.size()) return std::nullopt;
  return ParseHex(text.substr(begin + 2, 4));
}

bool IsHighSurrogate(std::uint32_t unit) { return unit >> 10 == 0xd800 >> 10; }
bool IsLowSurrogate(std::uint32_t unit) { return unit >> 10 == 0xdc00 >> 10; }

// The end of the escape whose backslash is text[begin].
JsonEnd ScanEscape(std::string_view text, std::size_t begin) {
  if (begin + 1 >= text.size()) return Fault(begin, kJsonEndsEarly);
  if (SimpleEscape(text[begin + 1]) != 0) return begin + 2;
  if (text[begin + 1] != 'u') return Fault(begin, "unknown escape in a string");
  if (const auto escape = ReadUnicodeEscape(text, begin)) return begin + escape->length;
  return Fault(begin, CodeUnit(text, begin) ? "lone surrogate" : "\\u without four hexadecimal digits");
}

std::size_t SkipDigits(std::string_view text, std::size_t begin) {
  while (IsDigit(At(text, begin))) ++begin;
  return begin;
}

JsonEnd ScanNumber(std::string_view text, std::size_t begin) {
  constexpr const char* kBroken = "malformed number";
  std::size_t at = begin + (text[begin] == '-' ? 1 : 0);
  if (!IsDigit(At(text, at))) return Fault(begin, kBroken);
  at = text[at] == '0' ? at + 1 : SkipDigits(text, at);
  if (At(text, at) == '.') {
    if (!IsDigit(At(text, ++at))) return Fault(begin, kBroken);
    at = SkipDigits(text, at);
  }
  if (At(text, at) == 'e' || At(text, at) == 'E') {
    ++at;
    if (At(text, at) == '+' || At(text, at) == '-') ++at;
    if (!IsDigit(At(text, at))) return Fault(begin, kBroken);
    at = SkipDigits(text, at);
  }
  return at;
}

JsonEnd ScanWord(std::string_view text, std::size_t begin, std::string_view word) {
  return text.substr(begin).starts_with(word) ? JsonEnd(begin + word.size()) : Fault(begin, "not a JSON value");
}

// Writes what the valid escape at text[begin] stands for to `to`, and moves that behind it; gives the escape's end.
std::size_t Unescape(std::string_view text, std::size_t begin, char*& to) {
  const char name = text[begin + 1];
  if (name != 'u') {
    const char meaning = SimpleEscape(name);
    *to++ = meaning == 0 ? name : meaning;
    return begin + 2;
  }
  const UnicodeEscape escape = ReadUnicodeEscape(text, begin).value_or(UnicodeEscape{2, 0});
  EncodeUtf8(escape.code, [&](char byte) { *to++ = byte; });
  return begin + escape.length;
}

// Writes what the inside of a valid string stands for, which is never longer; gives its length.
std::size_t Unescape(std::string_view text, char* const out) {
  char* to = out;
  std::size_t at = 0;
  while (at + Letters::kCount <= text.size()) {
    const Letters letters(text.data() + at);
    letters.Store(to);
    const auto plain = static_cast<std::size_t>(std::countr_zero(letters.Backslashes() | 1U << Letters::kCount));
    at += plain;
    to += plain;
    if (plain < Letters::kCount) at = Unescape(text, at, to);
  }
  while (at < text.size()) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      at = Unescape(text, at, to);
    } else {
      *to++ = text[at++];
    }
  }
  return static_cast<std::size_t>(to - out);
}

}  // namespace

std::size_t SkipJsonSpace(std::string_view text, std::size_t begin) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  while (begin < text.size() && is_space(text[begin])) ++begin;
  return begin;
}

std::size_t FindJsonSpecial(std::string_view text, std::size_t begin) {
  for (; begin + Letters::kCount <= text.size(); begin += Letters::kCount) {
    const std::uint32_t special = Letters(text.data() + begin).Special();
    if (special != 0) return begin + static_cast<std::size_t>(std::countr_zero(special));
  }
  while (begin < text.size() && !IsSpecial(text[begin])) ++begin;
  return begin;
}

std::size_t SamePlainPrefix(std::string_view one, std::string_view other) {
  const std::size_t size = std::min(one.size(), other.size());
  std::size_t at = 0;
  for (; at + Letters::kCount <= size; at += Letters::kCount) {
    const Letters letters(one.data() + at);
    const std::uint32_t ends = letters.Special() | letters.Unlike(Letters(other.data() + at));
    if (ends != 0) return at + static_cast<std::size_t>(std::countr_zero(ends));
  }
  while (at < size && one[at] == other[at] && !IsSpecial(one[at])) ++at;
  return at;
}

JsonEnd ScanJsonString(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin + 1;;) {
    at = FindJsonSpecial(text, at);
    if (at == text.size()) return Fault(begin, "string without an end");
    if (text[at] == '"') return at + 1;
    if (text[at] != '\\') return Fault(at, "control character in a string");
    at = TURNLOG_TRY(ScanEscape(text, at));
  }
}

JsonEnd ScanJsonScalar(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return Fault(text.size(), kJsonEndsEarly);
  switch (text[begin]) {
    case '"':
      return ScanJsonString(text, begin);
    case 't':
      return ScanWord(text, begin, "true");
    case 'f':
      return ScanWord(text, begin, "false");
    case 'n':
      return ScanWord(text, begin, "null");
    default:
      break;
  }
  if (text[begin] == '-' || IsDigit(text[begin])) return ScanNumber(text, begin);
  return Fault(begin, "not a JSON value");
}

JsonEnd ScanJsonKey(std::string_view text, std::size_t begin, std::size_t& key_end) {
  if (begin >= text.size()) return Fault(text.size(), kJsonEndsEarly);
  if (text[begin] != '"') return Fault(begin, "a key must be a string");
  key_end = TURNLOG_TRY(ScanJsonString(text, begin));
  const std::size_t colon = SkipJsonSpace(text, key_end);
  if (At(text, colon) != ':') return Fault(colon, "expected ':'");
  return SkipJsonSpace(text, colon + 1);
}

// Flattened, because every letter that is imported or appended goes through it.
[[gnu::flatten]] JsonEnd ScanJson(std::string_view text, std::size_t begin, int depth) {
  JsonVisitor nothing;
  return VisitJson(text, begin, depth, nothing);
}

std::optional<JsonFault> FindJsonFault(std::string_view text) {
  if (!IsUtf8(text)) return JsonFault{Utf8PrefixLength(text), "not valid UTF-8"};
  const std::size_t begin = SkipJsonSpace(text, 0);
  if (begin == text.size()) return JsonFault{begin, "nothing there"};
  const JsonEnd end = ScanJson(text, begin);
  if (!end) return end.error();
  const std::size_t rest = SkipJsonSpace(text, *end);
  if (rest != text.size()) return JsonFault{rest, "more text after the value"};
  return std::nullopt;
}

std::optional<UnicodeEscape> ReadUnicodeEscape(std::string_view text, std::size_t begin) {
  const auto unit = CodeUnit(text, begin);
  if (!unit || IsLowSurrogate(*unit)) return std::nullopt;
  if (!IsHighSurrogate(*unit)) return UnicodeEscape{6, *unit};
  const auto low = CodeUnit(text, begin + 6);
  if (!low || !IsLowSurrogate(*low)) return std::nullopt;
  return UnicodeEscape{12, 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00)};
}

std::string UnescapeJson(std::string_view token) {
  std::string out;
  if (token.size() < 2) return out;
  const std::string_view text = token.substr(1, token.size() - 2);
  out.resize_and_overwrite(text.size(), [&](char* to, std::size_t) { return Unescape(text, to); });
  return out;
}

}  // namespace turnlog
