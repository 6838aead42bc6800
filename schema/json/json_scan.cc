#include "schema/json/json_scan.h"

#include <bit>
#include <cstdint>

#include "base/coding.h"
#include "base/hex.h"
#include "base/try.h"
#include "base/utf8.h"
#include "schema/json/json_visitor.h"

namespace turnlog {
namespace {

std::unexpected<JsonFault> Fault(std::size_t byte, const char* what) { return std::unexpected(JsonFault{byte, what}); }

char At(std::string_view text, std::size_t byte) { return byte < text.size() ? text[byte] : '\0'; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Of each byte the high bit, set for bytes below `limit` (at most 0x80). Exact up to the lowest bit that is set.
constexpr std::uint64_t kOnes = 0x0101010101010101;
std::uint64_t BytesBelow(std::uint64_t word, std::uint64_t limit) {
  return (word - kOnes * limit) & ~word & (kOnes * 0x80);
}

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
  if (text[begin + 1] != 'u') {
    constexpr std::string_view kSimple = "\"\\/bfnrt";
    return kSimple.contains(text[begin + 1]) ? JsonEnd(begin + 2) : Fault(begin, "unknown escape in a string");
  }
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

void AppendUtf8(std::uint32_t code, std::string& out) {
  EncodeUtf8(code, [&](char byte) { out.push_back(byte); });
}

// Appends what the valid escape at text[begin] stands for; gives its end.
std::size_t Unescape(std::string_view text, std::size_t begin, std::string& out) {
  constexpr std::string_view kNames = "bfnrt", kMeanings = "\b\f\n\r\t";
  const char name = text[begin + 1];
  if (name != 'u') {
    const std::size_t index = kNames.find(name);
    out.push_back(index == std::string_view::npos ? name : kMeanings[index]);
    return begin + 2;
  }
  const UnicodeEscape escape = ReadUnicodeEscape(text, begin).value_or(UnicodeEscape{2, 0});
  AppendUtf8(escape.code, out);
  return begin + escape.length;
}

}  // namespace

std::size_t SkipJsonSpace(std::string_view text, std::size_t begin) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  while (begin < text.size() && is_space(text[begin])) ++begin;
  return begin;
}

std::size_t FindJsonSpecial(std::string_view text, std::size_t begin) {
  for (; begin + sizeof(std::uint64_t) <= text.size(); begin += sizeof(std::uint64_t)) {
    const auto word = LoadLittle<std::uint64_t>(text.data() + begin);
    const std::uint64_t special =
        BytesBelow(word, 0x20) | BytesBelow(word ^ (kOnes * '"'), 1) | BytesBelow(word ^ (kOnes * '\\'), 1);
    if (special != 0) return begin + static_cast<std::size_t>(std::countr_zero(special)) / 8;
  }
  const auto is_special = [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; };
  while (begin < text.size() && !is_special(text[begin])) ++begin;
  return begin;
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
  const std::string_view text = token.substr(0, token.size() - 1);  // without the closing quote
  std::string out;
  for (std::size_t at = 1; at < text.size();) {
    const std::size_t special = text.find('\\', at);
    out.append(text.substr(at, special - at));
    if (special == std::string_view::npos) break;
    at = Unescape(text, special, out);
  }
  return out;
}

}  // namespace turnlog
