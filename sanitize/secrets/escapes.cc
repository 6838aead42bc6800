#include "sanitize/secrets/escapes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <ranges>
#include <utility>

#include "base/hex.h"
#include "base/utf8.h"
#include "sanitize/secrets/byte_sets.h"
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

EscapeSearch::EscapeSearch(std::string_view text, EscapeKind kind) : text_(text), kind_(kind) {}

// Eight at once without a branch, because their number is hard to predict.
void EscapeSearch::ReadBlock(std::size_t at) {
  std::array<std::uint64_t, kBlock / 64> masks;
  SignsOf(kind_).Find(text_, at, masks);
  begin_ = at;
  end_ = std::min(text_.size(), at + kBlock);
  found_ = next_ = 0;
  for (std::size_t word = 0; word < masks.size(); ++word) {
    std::uint64_t left = masks[word];
    if (left == 0) continue;
    const std::size_t end = found_ + static_cast<std::size_t>(std::popcount(left));
    for (; left != 0; found_ += 8) {
      for (std::size_t i = 0; i < 8; ++i, left &= left - 1)
        signs_[found_ + i] = static_cast<std::uint16_t>(64 * word + static_cast<std::size_t>(std::countr_zero(left)));
    }
    found_ = end;
  }
}

void EscapeSearch::ReadOther(std::size_t at) { last_ = ReadEscape(text_, at, kind_); }

EscapedParts::EscapedParts(std::string_view text, EscapeKind kind)
    : text_(text), kind_(kind), search_(text, kind), ends_(EndsOfParts(), text) {
  FindEscape(0);
}

void EscapedParts::FindEscape(std::size_t at) {
  const std::size_t begin = search_.Next(at);
  escape_ = {begin, begin < text_.size() ? begin + search_.last().length : begin};
}

std::optional<TextSpan> EscapedParts::Next(std::size_t around) {
  if (escape_.begin < done_) FindEscape(done_);
  if (escape_.begin == text_.size()) return std::nullopt;
  TextSpan part{Begin(done_, escape_.begin - std::min(escape_.begin, around)), escape_.begin};
  while (escape_.begin < text_.size() && escape_.begin <= part.end + around) {
    const std::size_t end = SkipBackslashes(escape_.end, 2 * around);
    part.end = std::max(part.end, End(end + around));
    FindEscape(end);
    if (escape_.begin < part.end) FindEscape(part.end);
  }
  done_ = part.end;
  return part;
}

std::size_t EscapedParts::SkipBackslashes(std::size_t from, std::size_t gap) const {
  constexpr std::size_t kBlock = 1024;
  if (kind_ != EscapeKind::kAny && kind_ != EscapeKind::kBackslash) return from;
  std::array<std::uint64_t, kBlock / 64> masks;
  for (std::size_t last = from;; from = last) {
    const std::size_t begin = from + std::max(gap, kBlock) - kBlock;  // the end of the gap, if that is longer
    if (begin >= text_.size()) return last;
    SignsOf(EscapeKind::kBackslash).Find(text_.substr(0, from + gap), begin, masks);
    const auto found = std::ranges::find_if(std::views::reverse(masks), [](std::uint64_t mask) { return mask != 0; });
    if (found == masks.rend()) return last;
    const auto word = static_cast<std::size_t>(masks.rend() - found) - 1;
    last = std::min(text_.size(), begin + 64 * word + static_cast<std::size_t>(std::bit_width(masks[word])) + 1);
  }
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
  for (std::size_t at = search.Next(0); at < text.size(); at = search.Next(copied)) {
    if (!reading) reading.emplace(text.size());  // decoding never makes a text longer
    reading->AppendPart(text, copied, at);
    const std::size_t begin = reading->size();
    Append(*reading, search.last());
    copied = at + search.last().length;
    reading->EndSpan(begin, {at, copied});
  }
  if (reading) reading->Append(text.substr(copied));
  return reading;
}

bool HasOnlyPlainEscapes(std::string_view text) {
  static const ByteSets<3> sets({"\\", "\\\"'bfnrt", "%&"});
  constexpr std::size_t kWords = 16;
  std::array<std::uint64_t, kWords> begins, plain, others;
  std::uint64_t before = 0;  // 1: the byte before is a backslash
  for (std::size_t at = 0; at < text.size(); at += 64 * kWords) {
    const std::size_t words = WordsFrom(text, at, kWords);
    sets.Find(text, at,
              {std::span(begins).first(words), std::span(plain).first(words), std::span(others).first(words)});
    for (std::size_t word = 0; word < words; ++word) {
      if (((begins[word] << 1 | before) & ~plain[word]) != 0) return false;
      before = begins[word] >> 63;
      for (std::uint64_t left = others[word]; left != 0; left &= left - 1) {
        const std::size_t sign = at + 64 * word + static_cast<std::size_t>(std::countr_zero(left));
        if (ReadEscape(text, sign, EscapeKind::kAny).length > 0) return false;
      }
    }
  }
  return before == 0;
}

TextSpan WholeEscapes(std::string_view text, TextSpan span) {
  const auto first = EscapeAround(text, span.begin), last = EscapeAround(text, span.end);
  return {first ? first->begin : span.begin, last ? last->end : span.end};
}

}  // namespace turnlog
