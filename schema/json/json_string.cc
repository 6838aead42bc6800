#include "schema/json/json_string.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/hex.h"
#include "base/try.h"
#include "base/utf8.h"
#include "schema/json/json_letter_masks.h"
#include "schema/json/json_letters.h"
#include "schema/json/json_scan.h"
#include "schema/json/unescaped_letters.h"

namespace turnlog {
namespace {

std::unexpected<JsonFault> StringFault(std::size_t byte, const char* what) {
  return std::unexpected(JsonFault{byte, what});
}

char LetterAt(std::string_view text, std::size_t byte) { return byte < text.size() ? text[byte] : '\0'; }

// The code unit after "\u" at text[begin].
std::optional<std::uint32_t> CodeUnit(std::string_view text, std::size_t begin) {
  if (LetterAt(text, begin) != '\\' || LetterAt(text, begin + 1) != 'u' || begin + 6 > text.size()) return std::nullopt;
  return ParseHex(text.substr(begin + 2, 4));
}

bool IsHighSurrogate(std::uint32_t unit) { return unit >> 10 == 0xd800 >> 10; }
bool IsLowSurrogate(std::uint32_t unit) { return unit >> 10 == 0xdc00 >> 10; }

// The end of the escape whose backslash is text[begin].
JsonEnd ScanEscape(std::string_view text, std::size_t begin) {
  if (begin + 1 >= text.size()) return StringFault(begin, kJsonEndsEarly);
  if (JsonEscapeMeaning(text[begin + 1]) != 0) return begin + 2;
  if (text[begin + 1] != 'u') return StringFault(begin, "unknown escape in a string");
  if (const auto escape = ReadUnicodeEscape(text, begin)) return begin + escape->length;
  return StringFault(begin, CodeUnit(text, begin) ? "lone surrogate" : "\\u without four hexadecimal digits");
}

// Whether a writer of JSON would have written the escape at text[begin] for `code`.
bool IsUsual(std::string_view text, std::size_t begin, std::uint32_t code) {
  if (code >= 0x20 || JsonEscapeName(static_cast<char>(code)) != 0) return false;
  const char last = text[begin + 5];
  return last < 'A' || last > 'F';
}

// The same for one that a writer of JSON would have written.
JsonEnd ScanUsualEscape(std::string_view text, std::size_t begin) {
  const JsonEnd end = ScanEscape(text, begin);
  if (!end || (JsonEscapeMeaning(text[begin + 1]) != 0 && text[begin + 1] != '/')) return end;
  const auto escape = ReadUnicodeEscape(text, begin);
  if (!escape || !IsUsual(text, begin, escape->code)) return StringFault(begin, "unusual escape");
  return end;
}

// Escape by escape: the end of the string that goes on at `at`.
template <auto kScanEscape>
JsonEnd ScanCarefully(std::string_view text, std::size_t begin, std::size_t at) {
  for (;;) {
    at = FindJsonSpecial(text, at);
    if (at == text.size()) return StringFault(begin, kJsonStringEndsEarly);
    if (text[at] == '"') return at + 1;
    if (text[at] != '\\') return StringFault(at, "control character in a string");
    at = TURNLOG_TRY(kScanEscape(text, at));
  }
}

struct ScannedString {
  std::size_t at = 0;
  bool ended = false;  // `at` is the end; otherwise the rest begins there, and must be scanned carefully
};

// Scans a string 64 letters at a time, however many escapes there are, as far as nothing is wrong. Escapes of quotes,
// backslashes and line breaks never are, and the others are scanned by `kScanEscape`.
template <auto kScanEscape>
class StringScan {
 public:
  StringScan(std::string_view text, std::size_t at) : text_(text), at_(at), checked_(at) {}

  bool has_letters() const { return at_ + JsonLetterMasks::kCount <= text_.size(); }
  const char* letters() const { return text_.data() + at_; }
  // Goes on; false if this was the last step.
  [[gnu::always_inline]] bool Take(const JsonLetterMasks& letters) {
    const std::size_t unread = Unread();
    const std::uint64_t escaped = FindEscaped(letters.backslashes, escaped_first_);
    const std::uint64_t quotes = letters.quotes & ~escaped;
    const std::uint64_t inside = (quotes - 1) & ~quotes;  // before the first of them
    const std::uint64_t others = escaped & inside & ~(letters.quotes | letters.backslashes | letters.line_breaks);
    if ((letters.controls & inside) != 0) return rest_ = unread, false;
    if (others != 0 && !CheckEscapes(others)) return false;
    if (quotes != 0) {
      end_ = at_ + static_cast<std::size_t>(std::countr_zero(quotes)) + 1;
      return false;
    }
    at_ += JsonLetterMasks::kCount;
    return true;
  }
  ScannedString Finish() const {
    if (end_ != 0) return {end_, true};
    return {rest_ != 0 ? rest_ : Unread(), false};
  }

 private:
  std::size_t Unread() const { return std::max(at_ - escaped_first_, checked_); }

  bool CheckEscapes(std::uint64_t escaped) {
    for (; escaped != 0; escaped &= escaped - 1) {
      const std::size_t backslash = at_ + static_cast<std::size_t>(std::countr_zero(escaped)) - 1;
      if (backslash < checked_) continue;  // the second one of a surrogate pair
      const JsonEnd end = kScanEscape(text_, backslash);
      if (!end) return rest_ = backslash, false;
      checked_ = *end;
    }
    return true;
  }

  const std::string_view text_;
  std::size_t at_;
  std::size_t checked_;  // escapes before it are valid
  std::uint64_t escaped_first_ = 0;
  std::size_t end_ = 0, rest_ = 0;
};

// Finds the end of a string 64 letters at a time, whatever is before it.
class QuoteSearch {
 public:
  QuoteSearch(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  bool has_letters() const { return at_ + JsonLetterMasks::kCount <= text_.size(); }
  const char* letters() const { return text_.data() + at_; }
  // Goes on; false if this was the last step.
  [[gnu::always_inline]] bool Take(const JsonLetterMasks& letters) {
    const std::uint64_t quotes = letters.quotes & ~FindEscaped(letters.backslashes, escaped_first_);
    if (quotes != 0) return end_ = at_ + static_cast<std::size_t>(std::countr_zero(quotes)) + 1, false;
    at_ += JsonLetterMasks::kCount;
    return true;
  }
  std::size_t Finish() const {
    if (end_ != 0) return end_;
    for (std::size_t at = at_ + escaped_first_; at < text_.size(); ++at) {
      if (text_[at] == '"') return at + 1;
      if (text_[at] == '\\') ++at;
    }
    return std::string_view::npos;
  }

 private:
  const std::string_view text_;
  std::size_t at_;
  std::uint64_t escaped_first_ = 0;
  std::size_t end_ = 0;
};

#if defined(__x86_64__)
template <auto kScanEscape>
[[gnu::target("avx2")]] ScannedString ScanFastWithAvx2(std::string_view text, std::size_t at) {
  StringScan<kScanEscape> scan(text, at);
  while (scan.has_letters() && scan.Take(FindJsonLettersWithAvx2(scan.letters()))) {
  }
  return scan.Finish();
}

template <auto kScanEscape>
[[gnu::target("avx512bw")]] ScannedString ScanFastWithAvx512(std::string_view text, std::size_t at) {
  StringScan<kScanEscape> scan(text, at);
  while (scan.has_letters() && scan.Take(FindJsonLettersWithAvx512(scan.letters()))) {
  }
  return scan.Finish();
}

[[gnu::target("avx2")]] std::size_t FindQuoteWithAvx2(std::string_view text, std::size_t at) {
  QuoteSearch search(text, at);
  while (search.has_letters() && search.Take(FindJsonLettersWithAvx2(search.letters()))) {
  }
  return search.Finish();
}

[[gnu::target("avx512bw")]] std::size_t FindQuoteWithAvx512(std::string_view text, std::size_t at) {
  QuoteSearch search(text, at);
  while (search.has_letters() && search.Take(FindJsonLettersWithAvx512(search.letters()))) {
  }
  return search.Finish();
}
#endif

template <auto kScanEscape>
ScannedString ScanFast(std::string_view text, std::size_t at, Vectors most) {
#if defined(__x86_64__)
  const Vectors vectors = SupportedVectors(most);
  if (vectors == Vectors::kAvx512) return ScanFastWithAvx512<kScanEscape>(text, at);
  if (vectors == Vectors::kAvx2) return ScanFastWithAvx2<kScanEscape>(text, at);
#endif
  StringScan<kScanEscape> scan(text, at);
  while (scan.has_letters() && scan.Take(FindJsonLetters(scan.letters()))) {
  }
  return scan.Finish();
}

template <auto kScanEscape>
JsonEnd ScanString(std::string_view text, std::size_t begin, Vectors most = Vectors::kAvx512) {
  const std::size_t plain = SkipPlainJsonLetters(text, begin + 1);
  if (plain < text.size() && text[plain] == '"') return plain + 1;
  const ScannedString scanned = ScanFast<kScanEscape>(text, plain, most);
  return scanned.ended ? JsonEnd(scanned.at) : ScanCarefully<kScanEscape>(text, begin, scanned.at);
}

// Writes what the valid escape at text[begin] stands for to `to`, and moves that past it; returns the escape's end.
std::size_t Unescape(std::string_view text, std::size_t begin, char*& to, bool& usual) {
  const char name = text[begin + 1];
  if (name != 'u') {
    const char meaning = JsonEscapeMeaning(name);
    *to++ = meaning == 0 ? name : meaning;
    usual = usual && name != '/';
    return begin + 2;
  }
  const UnicodeEscape escape = ReadUnicodeEscape(text, begin).value_or(UnicodeEscape{2, 0});
  usual = usual && escape.length > 2 && IsUsual(text, begin, escape.code);
  EncodeUtf8(escape.code, [&](char byte) { *to++ = byte; });
  return begin + escape.length;
}

// Writes what the inside of a valid string stands for, which is never longer, to `to`.
class Unescaping {
 public:
  Unescaping(std::string_view text, char* to) : text_(text), to_(to) {}

  bool has(std::size_t letters) const { return at_ + letters <= text_.size(); }
  const char* letters() const { return text_.data() + at_; }
  char* to() const { return to_; }
  bool usual() const { return usual_; }
  // Takes kCount letters that have been copied to `to()`, with a bit for each that is a backslash.
  template <std::size_t kCount>
  [[gnu::always_inline]] void Take(std::uint64_t backslashes) {
    TakeCopiedLetters<kCount>(text_, at_, to_, backslashes, [this] { return Escape(), true; });
  }
  void Finish() {
    while (has(JsonLetters::kCount)) {
      const JsonLetters some(letters());
      some.Store(to_);
      Take<JsonLetters::kCount>(some.Like('\\'));
    }
    while (has(1)) Next();
  }
  std::size_t left() const { return text_.size() - at_; }
  // Takes `count` letters, of which `some` are written already.
  [[gnu::always_inline]] void Take(const UnescapedLetters& some, std::size_t count) {
    at_ += some.taken;
    to_ += some.written;
    if (some.taken < count) Next();
  }

 private:
  // Takes a letter or an escape.
  void Next() {
    if (text_[at_] == '\\' && has(2)) return Escape();
    *to_++ = text_[at_++];
  }

  void Escape() {
    const char name = LetterAt(text_, at_ + 1);
    const char meaning = JsonEscapeMeaning(name);
    if (meaning != 0 && meaning != '/') {  // nearly all of them
      *to_++ = meaning;
      at_ += 2;
    } else {
      at_ = Unescape(text_, at_, to_, usual_);
    }
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  char* to_;
  bool usual_ = true;
};

// Many letters at once: that one of them is a backslash is then what the processor expects.
#if defined(__x86_64__)
[[gnu::target("avx2")]] void UnescapeWithAvx2(Unescaping& text) {
  while (text.has(JsonLetterMasks::kCount)) {
    std::uint64_t backslashes = 0;
    for (std::size_t at = 0; at < JsonLetterMasks::kCount; at += 32) {
      const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.letters() + at));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(text.to() + at), all);
      const __m256i like = _mm256_cmpeq_epi8(all, _mm256_set1_epi8('\\'));
      backslashes |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(like))} << at;
    }
    text.Take<JsonLetterMasks::kCount>(backslashes);
  }
}

[[gnu::target("avx512bw,avx512vbmi,avx512vbmi2")]] void UnescapeWithAvx512(Unescaping& text) {
  while (text.has(1)) {
    const std::size_t count = std::min<std::size_t>(text.left(), 64);
    text.Take(Unescape64(text.letters(), count, text.to()), count);
  }
}
#endif

std::size_t EndOfContainer(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    at = c == '"' ? FindJsonStringEnd(text, at) : at + 1;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::size_t FindJsonSpecial(std::string_view text, std::size_t begin) {
  for (; begin + JsonLetters::kCount <= text.size(); begin += JsonLetters::kCount) {
    const std::uint32_t special = JsonLetters(text.data() + begin).Special();
    if (special != 0) return begin + static_cast<std::size_t>(std::countr_zero(special));
  }
  while (begin < text.size() && !IsJsonSpecial(text[begin])) ++begin;
  return begin;
}

std::size_t FindJsonStringEnd(std::string_view text, std::size_t begin, Vectors most) {
  const std::size_t at = SkipPlainJsonLetters(text, begin + 1);
  if (at < text.size() && text[at] == '"') return at + 1;
#if defined(__x86_64__)
  const Vectors vectors = SupportedVectors(most);
  if (vectors == Vectors::kAvx512) return FindQuoteWithAvx512(text, at);
  if (vectors == Vectors::kAvx2) return FindQuoteWithAvx2(text, at);
#endif
  QuoteSearch search(text, at);
  while (search.has_letters() && search.Take(FindJsonLetters(search.letters()))) {
  }
  return search.Finish();
}

std::size_t FindJsonEnd(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return begin;
  if (text[begin] == '"') return FindJsonStringEnd(text, begin);
  if (text[begin] == '{' || text[begin] == '[') return EndOfContainer(text, begin);
  return std::min(text.find_first_of(",:]} \t\r\n\"", begin), text.size());
}

JsonEnd ScanJsonString(std::string_view text, std::size_t begin, Vectors most) {
  return ScanString<ScanEscape>(text, begin, most);
}

std::optional<UnicodeEscape> ReadUnicodeEscape(std::string_view text, std::size_t begin) {
  const auto unit = CodeUnit(text, begin);
  if (!unit || IsLowSurrogate(*unit)) return std::nullopt;
  if (!IsHighSurrogate(*unit)) return UnicodeEscape{6, *unit};
  const auto low = CodeUnit(text, begin + 6);
  if (!low || !IsLowSurrogate(*low)) return std::nullopt;
  return UnicodeEscape{12, 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00)};
}

UnescapedJson ReadJsonString(std::string_view token, Vectors most) {
  UnescapedJson read;
  if (token.size() < 2) return read;
  const std::string_view text = token.substr(1, token.size() - 2);
  read.text.resize_and_overwrite(text.size(), [&](char* const to, std::size_t) {
    Unescaping unescaping(text, to);
#if defined(__x86_64__)
    const Vectors vectors = SupportedVectors(most);
    if (vectors == Vectors::kAvx512) UnescapeWithAvx512(unescaping);
    if (vectors == Vectors::kAvx2) UnescapeWithAvx2(unescaping);
#endif
    unescaping.Finish();
    read.usual = unescaping.usual();
    return static_cast<std::size_t>(unescaping.to() - to);
  });
  return read;
}

std::size_t UnescapeJsonInPlace(std::span<char> inside) {
  const std::string_view text(inside.data(), inside.size());
  char* to = inside.data();
  bool usual = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain = std::min(text.find('\\', at), text.size()) - at;
    std::memmove(to, text.data() + at, plain);
    to += plain;
    at += plain;
    if (at < text.size()) at = Unescape(text, at, to, usual);
  }
  return static_cast<std::size_t>(to - inside.data());
}

bool IsUsualJsonString(std::string_view token) {
  if (!token.starts_with('"')) return false;
  const JsonEnd end = ScanString<ScanUsualEscape>(token, 0);
  return end && *end == token.size();
}

std::string UnescapeJson(std::string_view token) { return ReadJsonString(token).text; }

}  // namespace turnlog
