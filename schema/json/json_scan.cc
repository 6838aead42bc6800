#include "schema/json/json_scan.h"

#include <bit>
#include <bitset>
#include <charconv>
#include <cstdint>

#include "base/coding.h"
#include "base/try.h"
#include "base/utf8.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

constexpr const char* kEndsEarly = "the text ends within a value";
constexpr const char* kTooDeep = "nested too deep";

std::unexpected<JsonFault> Fault(std::size_t byte, const char* what) { return std::unexpected(JsonFault{byte, what}); }

char At(std::string_view text, std::size_t byte) { return byte < text.size() ? text[byte] : '\0'; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Of each byte the high bit, set for bytes below `limit` (at most 0x80). Exact up to the lowest bit that is set.
constexpr std::uint64_t kOnes = 0x0101010101010101;
std::uint64_t BytesBelow(std::uint64_t word, std::uint64_t limit) {
  return (word - kOnes * limit) & ~word & (kOnes * 0x80);
}

// The code unit behind "\u" at text[begin].
std::optional<std::uint32_t> CodeUnit(std::string_view text, std::size_t begin) {
  if (At(text, begin) != '\\' || At(text, begin + 1) != 'u' || begin + 6 > text.size()) return std::nullopt;
  std::uint32_t unit = 0;
  const char* const digits = text.data() + begin + 2;
  const auto [end, error] = std::from_chars(digits, digits + 4, unit, 16);
  if (error != std::errc() || end != digits + 4) return std::nullopt;
  return unit;
}

bool IsHighSurrogate(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool IsLowSurrogate(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

// The end of the escape whose backslash is text[begin].
JsonEnd ScanEscape(std::string_view text, std::size_t begin) {
  if (begin + 1 >= text.size()) return Fault(begin, kEndsEarly);
  if (text[begin + 1] != 'u') {
    constexpr std::string_view kSimple = "\"\\/bfnrt";
    return kSimple.contains(text[begin + 1]) ? JsonEnd(begin + 2) : Fault(begin, "unknown escape in a string");
  }
  const auto unit = CodeUnit(text, begin);
  if (!unit) return Fault(begin, "\\u without four hexadecimal digits");
  if (IsLowSurrogate(*unit)) return Fault(begin, "lone surrogate");
  if (!IsHighSurrogate(*unit)) return begin + 6;
  const auto low = CodeUnit(text, begin + 6);
  return low && IsLowSurrogate(*low) ? JsonEnd(begin + 12) : Fault(begin, "lone surrogate");
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

// Anything but an array or an object.
JsonEnd ScanScalar(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return Fault(text.size(), kEndsEarly);
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

// From a key's quote to the first letter of its value; `key_end` gets the key's end.
JsonEnd ScanKey(std::string_view text, std::size_t begin, std::size_t& key_end) {
  if (begin >= text.size()) return Fault(text.size(), kEndsEarly);
  if (text[begin] != '"') return Fault(begin, "a key must be a string");
  key_end = TURNLOG_TRY(ScanJsonString(text, begin));
  const std::size_t colon = SkipJsonSpace(text, key_end);
  if (At(text, colon) != ':') return Fault(colon, "expected ':'");
  return SkipJsonSpace(text, colon + 1);
}

// Walks a value of any depth without recursion.
class Walker {
 public:
  Walker(std::string_view text, int depth) : text_(text), outer_depth_(depth) {}

  JsonEnd Walk(std::size_t at) {
    do {
      at = TURNLOG_TRY(Value(at));
      at = TURNLOG_TRY(BehindValue(at));
    } while (open_ > 0);
    return at;
  }

 private:
  // Takes what begins at `at`: a scalar, an empty container, or the brackets (and key) down to the first of those.
  JsonEnd Value(std::size_t at) {
    while (At(text_, at) == '{' || At(text_, at) == '[') {
      if (outer_depth_ + open_ >= kMaxJsonDepth) return Fault(at, kTooDeep);
      const bool object = text_[at] == '{';
      at = SkipJsonSpace(text_, at + 1);
      if (At(text_, at) == (object ? '}' : ']')) return at + 1;
      is_object_[static_cast<std::size_t>(open_++)] = object;
      if (object) at = TURNLOG_TRY(Key(at));
    }
    return ScanScalar(text_, at);
  }

  // Closes what ends here and goes on to the next value, if anything is still open.
  JsonEnd BehindValue(std::size_t at) {
    while (open_ > 0) {
      at = SkipJsonSpace(text_, at);
      const bool object = is_object_[static_cast<std::size_t>(open_ - 1)];
      if (At(text_, at) == ',') {
        at = SkipJsonSpace(text_, at + 1);
        return object ? Key(at) : JsonEnd(at);
      }
      if (At(text_, at) != (object ? '}' : ']')) {
        if (at >= text_.size()) return Fault(at, kEndsEarly);
        return Fault(at, object ? "expected ',' or '}'" : "expected ',' or ']'");
      }
      ++at;
      --open_;
    }
    return at;
  }

  JsonEnd Key(std::size_t at) {
    std::size_t key_end;
    return ScanKey(text_, at, key_end);
  }

  std::string_view text_;
  int outer_depth_;
  int open_ = 0;
  std::bitset<kMaxJsonDepth> is_object_;
};

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
  const std::uint32_t unit = CodeUnit(text, begin).value_or(0);
  if (!IsHighSurrogate(unit)) {
    AppendUtf8(unit, out);
    return begin + 6;
  }
  const std::uint32_t low = CodeUnit(text, begin + 6).value_or(0xdc00);
  AppendUtf8(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), out);
  return begin + 12;
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

JsonEnd ScanJson(std::string_view text, std::size_t begin, int depth) { return Walker(text, depth).Walk(begin); }

std::optional<JsonFault> FindJsonFault(std::string_view text) {
  if (!IsUtf8(text)) return JsonFault{Utf8PrefixLength(text), "not valid UTF-8"};
  const std::size_t begin = SkipJsonSpace(text, 0);
  if (begin == text.size()) return JsonFault{begin, "nothing there"};
  const JsonEnd end = ScanJson(text, begin);
  if (!end) return end.error();
  const std::size_t rest = SkipJsonSpace(text, *end);
  if (rest != text.size()) return JsonFault{rest, "more text behind the value"};
  return std::nullopt;
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

JsonFields::JsonFields(std::string_view text, std::size_t begin, int depth)
    : text_(text), position_(begin), depth_(depth) {}

std::expected<bool, JsonFault> JsonFields::Next() {
  if (first_ && At(text_, position_) != '{') return Fault(position_, "must be an object");
  if (first_ && depth_ >= kMaxJsonDepth) return Fault(position_, kTooDeep);
  std::size_t at = SkipJsonSpace(text_, first_ ? position_ + 1 : position_);
  if (At(text_, at) == '}') {
    position_ = at + 1;
    return false;
  }
  if (!std::exchange(first_, false)) {
    if (At(text_, at) != ',') return Fault(at, at < text_.size() ? "expected ',' or '}'" : kEndsEarly);
    at = SkipJsonSpace(text_, at + 1);
  }
  std::size_t key_end = 0;
  const std::size_t value = TURNLOG_TRY(ScanKey(text_, at, key_end));
  position_ = TURNLOG_TRY(ScanJson(text_, value, depth_ + 1));
  key_ = text_.substr(at, key_end - at);
  value_ = text_.substr(value, position_ - value);
  return true;
}

bool JsonFields::KeyIs(std::string_view name) const {
  if (!key_.contains('\\')) return key_.substr(1, key_.size() - 2) == name;
  return UnescapeJson(key_) == name;
}

}  // namespace turnlog
