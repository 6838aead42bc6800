#include "schema/json/json_scan.h"

#include "base/try.h"
#include "base/utf8.h"
#include "schema/json/json_visitor.h"

namespace turnlog {
namespace {

std::unexpected<JsonFault> Fault(std::size_t byte, const char* what) { return std::unexpected(JsonFault{byte, what}); }

char At(std::string_view text, std::size_t byte) { return byte < text.size() ? text[byte] : '\0'; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

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

}  // namespace

std::size_t SkipJsonSpace(std::string_view text, std::size_t begin) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  while (begin < text.size() && is_space(text[begin])) ++begin;
  return begin;
}

std::string_view TrimJsonSpace(std::string_view text) {
  text.remove_prefix(SkipJsonSpace(text, 0));
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
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

}  // namespace turnlog
