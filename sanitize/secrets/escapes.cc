#include "sanitize/secrets/escapes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/hex.h"
#include "base/utf8.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// The number that `count` hexadecimal digits at text[at] stand for.
std::optional<std::uint32_t> Hex(std::string_view text, std::size_t at, std::size_t count) {
  return at + count <= text.size() ? ParseHex(text.substr(at, count)) : std::nullopt;
}

Escape ReadPercent(std::string_view text, std::size_t at) {
  const auto byte = Hex(text, at + 1, 2);
  return byte ? Escape{3, *byte, true} : Escape{};
}

constexpr std::uint32_t kLastCodePoint = 0x10ffff;

// The hexadecimal or decimal code point of at most seven digits at text[at], with the `end` after it.
Escape ReadCodePoint(std::string_view text, std::size_t at, std::uint32_t base, char end) {
  constexpr std::size_t kMaxDigits = 7;
  std::uint32_t code = 0;
  for (std::size_t digits = 0; digits <= kMaxDigits && at + digits < text.size(); ++digits) {
    const char letter = text[at + digits];
    if (letter == end) return digits > 0 && code <= kLastCodePoint ? Escape{digits + 1, code} : Escape{};
    const auto value = ParseHex({&letter, 1});
    if (!value || *value >= base) return {};
    code = code * base + *value;
  }
  return {};
}

Escape ReadEntity(std::string_view text, std::size_t at) {
  constexpr std::array<std::pair<std::string_view, char>, 6> kNames{
      {{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}, {"nbsp;", ' '}}};
  const std::string_view rest = text.substr(at + 1);
  for (const auto& [name, meaning] : kNames) {
    if (rest.starts_with(name)) return {1 + name.size(), static_cast<unsigned char>(meaning), true};
  }
  if (!rest.starts_with('#')) return {};
  const bool hex = rest.size() > 1 && (rest[1] == 'x' || rest[1] == 'X');
  const std::size_t prefix = hex ? 3 : 2;
  const Escape number = ReadCodePoint(text, at + prefix, hex ? 16 : 10, ';');
  return number.length > 0 ? Escape{prefix + number.length, number.code} : Escape{};
}

Escape ReadBackslash(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return {};
  const char name = text[at + 1];
  if (name == 'u' && text.substr(at + 2).starts_with('{')) {
    const Escape braced = ReadCodePoint(text, at + 3, 16, '}');
    return braced.length > 0 ? Escape{3 + braced.length, braced.code} : Escape{};
  }
  if (name == 'u') {  // half of a pair is none: the other half may yet show, if it is escaped once more
    const auto escape = ReadUnicodeEscape(text, at);
    return escape ? Escape{escape->length, escape->code} : Escape{};
  }
  if (name == 'x') {
    const auto byte = Hex(text, at + 2, 2);
    return byte ? Escape{4, *byte, true} : Escape{};
  }
  const char meaning = EscapeSearch::MeaningOf(name);
  return {2, static_cast<unsigned char>(meaning != '\0' ? meaning : name), true};
}

Escape ReadEscape(std::string_view text, std::size_t at, EscapeKind kind) {
  if (text[at] == '%') return ReadPercent(text, at);
  if (text[at] == '&') return ReadEntity(text, at);
  // The letter after the backslash may itself be encoded: decode that first.
  const char after = kind == EscapeKind::kAny && at + 1 < text.size() ? text[at + 1] : '\0';
  if (after == '%' && ReadPercent(text, at + 1).length > 0) return {};
  if (after == '&' && ReadEntity(text, at + 1).length > 0) return {};
  return ReadBackslash(text, at);
}

void Append(DecodedText& out, const Escape& escape) {
  if (escape.is_byte) return out.Append(static_cast<char>(escape.code));
  EncodeUtf8(escape.code, [&](char byte) { out.Append(byte); });
}

// Which bytes begin an escape.
const ByteSet& SignsOf(EscapeKind kind) {
  static const ByteSet any("\\%&"), backslash("\\"), percent("%"), ampersand("&");
  switch (kind) {
    case EscapeKind::kBackslash:
      return backslash;
    case EscapeKind::kPercent:
      return percent;
    case EscapeKind::kEntity:
      return ampersand;
    case EscapeKind::kAny:
      break;
  }
  return any;
}

// No escape goes on after one of these.
const ByteSet& EndsOfParts() {
  static const ByteSet ends(" \"'<>\t\r\n");
  return ends;
}

// The backslash escape that text[at] is inside of and not the beginning of.
std::optional<TextSpan> EscapeAround(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 12;  // a surrogate pair
  std::size_t from = at - std::min(at, kLongest);
  while (from > 0 && text[from - 1] == '\\') --from;  // backslashes pair from the first one of a run
  while (from < at) {
    const std::size_t length = text[from] == '\\' ? ReadBackslash(text, from).length : 0;
    if (from + length > at) return TextSpan{from, from + length};
    from += std::max<std::size_t>(length, 1);
  }
  return std::nullopt;
}

}  // namespace

EscapeSearch::EscapeSearch(std::string_view text, EscapeKind kind)
    : text_(text), kind_(kind), signs_(SignsOf(kind), text) {}

void EscapeSearch::ReadOther(std::size_t at) { last_ = ReadEscape(text_, at, kind_); }

EscapedParts::EscapedParts(std::string_view text, EscapeKind kind)
    : text_(text), search_(text, kind), ends_(EndsOfParts(), text), escape_(search_.Next(0)) {}

std::optional<TextSpan> EscapedParts::Next(std::size_t around) {
  while (escape_ && escape_->begin < done_) escape_ = search_.Next(done_);
  if (!escape_) return std::nullopt;
  TextSpan part{Begin(done_, escape_->begin - std::min(escape_->begin, around)), escape_->begin};
  while (escape_ && escape_->begin <= part.end + around) {
    std::size_t end = std::max(part.end, escape_->end + around);
    for (escape_ = search_.Next(escape_->end); escape_ && escape_->begin <= end + around;)
      end = escape_->end + around, escape_ = search_.Next(escape_->end);
    part.end = End(end);
    while (escape_ && escape_->begin < part.end) escape_ = search_.Next(escape_->end);
  }
  done_ = part.end;
  return part;
}

TextSpan EscapedParts::Widen(TextSpan part, std::size_t around) {
  const TextSpan wide{Begin(0, part.begin - std::min(part.begin, around)), End(part.end + around)};
  done_ = std::max(done_, wide.end);
  return wide;
}

std::size_t EscapedParts::Begin(std::size_t from, std::size_t at) const {
  at = std::max(from, at);
  while (at > from) {
    const std::size_t block = std::min<std::size_t>(at - from, 64);
    std::uint64_t ends = 0;
    EndsOfParts().Find(text_.substr(0, at), at - block, {&ends, 1});
    if (ends != 0) return at - block + static_cast<std::size_t>(std::bit_width(ends));
    at -= block;
  }
  return from;
}

std::size_t EscapedParts::End(std::size_t at) {
  return at >= text_.size() ? text_.size() : std::min(text_.size(), ends_.Next(at - 1) + 1);
}

std::optional<DecodedText> UndoEscapes(std::string_view text, EscapeKind kind) {
  std::optional<DecodedText> reading;
  std::size_t copied = 0;  // end of what was copied
  EscapeSearch search(text, kind);
  for (auto span = search.Next(0); span; span = search.Next(copied)) {
    if (!reading) reading.emplace(text.size());  // decoding never makes a text longer
    reading->AppendPart(text, copied, span->begin);
    const std::size_t begin = reading->size();
    Append(*reading, search.last());
    copied = span->end;
    reading->EndSpan(begin, *span);
  }
  if (reading) reading->Append(text.substr(copied));
  return reading;
}

TextSpan WholeEscapes(std::string_view text, TextSpan span) {
  const auto first = EscapeAround(text, span.begin), last = EscapeAround(text, span.end);
  return {first ? first->begin : span.begin, last ? last->end : span.end};
}

}  // namespace turnlog
