#include "sanitize/secrets/escaped_joins.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sanitize/secrets/byte_sets.h"
#include "sanitize/secrets/text_bytes.h"

namespace turnlog {
namespace {

constexpr bool IsSign(char letter) { return letter > ' ' && letter <= '~'; }  // a letter, digit or sign of ASCII
bool IsContinuation(char letter) { return (static_cast<unsigned char>(letter) & 0xc0U) == 0x80; }
// What stands for a line break or a tab after a backslash.
bool IsBlankName(char letter) { return letter == 'n' || letter == 'r' || letter == 't'; }

// The size of a character that begins with this byte, if it may be an invisible one, a bar or an arrow: JoinLines may
// leave it out. Otherwise 0.
std::size_t SizeIfLeftOut(char lead) {
  return lead == '\xc2' ? 2 : lead == '\xe2' || lead == '\xef' ? 3 : lead == '\xf3' ? 4 : 0;
}

// Positions of letters that may be next to a join. A few: most texts have one.
class Candidates {
 public:
  void Add(std::size_t at) {
    if (count_ == at_.size())
      too_many_ = true;
    else
      at_[count_++] = at;
  }
  void GiveUp() { too_many_ = true; }
  bool too_many() const { return too_many_; }
  std::span<const std::size_t> all() const { return std::span(at_).first(count_); }

 private:
  std::array<std::size_t, 16> at_;
  std::size_t count_ = 0;
  bool too_many_ = false;
};

std::size_t BeginOfBackslashes(std::string_view text, std::size_t end) {
  while (end > 0 && text[end - 1] == '\\') --end;
  return end;
}

// What JoinLines may leave out around one escape, and the letters around that.
class EscapedJoin {
 public:
  // `escape`: backslashes and a name.
  EscapedJoin(std::string_view text, TextSpan escape) : text_(text) {
    Skip(escape);
    GoLeft(escape.begin);
    GoRight(escape.end);
  }

  // Where the blanks, line breaks and escapes of these after the escape end.
  std::size_t end_of_blanks() const { return end_of_blanks_; }

  bool MayJoin(Blanks blanks, const LetterGrams& grams) const {
    if (!has_line_break_ && blanks == Blanks::kKept) return false;
    if (before_.too_many() || after_.too_many()) return true;
    return std::ranges::any_of(before_.all(), [&](std::size_t last) {
      return std::ranges::any_of(after_.all(), [&](std::size_t first) { return MayFollow(last, first, grams); });
    });
  }

 private:
  static constexpr std::size_t kFarthest = 256;

  void GoLeft(std::size_t from) {
    for (std::size_t at = from; at > 0;) {
      if (from - at > kFarthest) return before_.GiveUp();
      const char letter = text_[at - 1];
      if (IsBlank(letter) || IsLineBreak(letter)) {
        has_line_break_ = has_line_break_ || IsLineBreak(letter);
        --at;
      } else if (IsBlankName(letter) && at > 1 && text_[at - 2] == '\\') {
        at = SkipEscapeBackwards(at);
      } else {
        before_.Add(at - 1);
        const std::size_t begin = SkipPrefixBackwards(at);
        if (begin == at) return;
        at = begin;
      }
    }
  }

  void Skip(TextSpan escape) {
    has_line_break_ = has_line_break_ || text_[escape.end - 1] != 't';
    if (escape.size() > 2) before_.Add(escape.end - 1);  // its name is a letter until all backslashes are undone
  }

  // The beginning of the escape that ends at `end`.
  std::size_t SkipEscapeBackwards(std::size_t end) {
    const std::size_t begin = BeginOfBackslashes(text_, end - 1);
    Skip({begin, end});
    return begin;
  }

  // The beginning of what may continue a line, quote or number it, or be a bar, an arrow or an invisible character that
  // ends at `end`, or `end`.
  std::size_t SkipPrefixBackwards(std::size_t end) const {
    const char letter = text_[end - 1];
    if (letter == '=' || letter == '>' || letter == '|') return end - 1;
    std::size_t begin = end;
    while (begin > 0 && IsDigit(text_[begin - 1])) --begin;
    if (begin < end) return begin;
    begin = BeginOfCharacter(end);
    return SizeIfLeftOut(text_[begin]) > 0 ? begin : end;
  }

  std::size_t BeginOfCharacter(std::size_t end) const {
    constexpr std::size_t kLongest = 4;
    std::size_t begin = end - 1;
    while (begin > 0 && end - begin < kLongest && IsContinuation(text_[begin])) --begin;
    return begin;
  }

  void GoRight(std::size_t from) {
    std::size_t at = SkipBlanks(from);
    end_of_blanks_ = at;
    for (; at < text_.size(); at = SkipBlanks(at)) {
      if (at - from > kFarthest) return after_.GiveUp();
      if (text_[at] == '\\') return;  // no value has one
      after_.Add(at);
      const std::size_t end = SkipPrefix(at);
      if (end == at) return;
      at = end;
    }
  }

  std::size_t SkipBlanks(std::size_t at) {
    for (;;) {
      const std::size_t begin = at;
      while (at < text_.size() && (IsBlank(text_[at]) || IsLineBreak(text_[at]))) {
        has_line_break_ = has_line_break_ || IsLineBreak(text_[at]);
        ++at;
      }
      std::size_t name = at;
      while (name < text_.size() && text_[name] == '\\') ++name;
      if (name > at && name < text_.size() && IsBlankName(text_[name])) {
        Skip({at, name + 1});
        at = name + 1;
      }
      if (at == begin) return at;
    }
  }

  // The end of what may be a line's quote or number, a bar, an arrow or an invisible character at text[at], or `at`.
  std::size_t SkipPrefix(std::size_t at) const {
    const char letter = text_[at];
    if (const std::size_t size = SizeIfLeftOut(letter)) return std::min(text_.size(), at + size);
    if (letter == '>' || letter == '|') return at + 1 < text_.size() && text_[at + 1] == ' ' ? at + 2 : at;
    std::size_t end = at;
    while (end < text_.size() && IsDigit(text_[end])) ++end;
    const bool is_number =
        end > at && end < text_.size() && (text_[end] == '\t' || text_[end] == '\\' || SizeIfLeftOut(text_[end]) > 0);
    return is_number ? end : at;
  }

  // By the letters around them as well, where these are the same in every layer.
  bool MayFollow(std::size_t last, std::size_t first, const LetterGrams& grams) const {
    if (!grams.HasPair(text_[last], text_[first])) return false;
    const char before = last > 0 ? text_[last - 1] : ' ';
    const bool known_before = before == '\\' || (IsSign(before) && last > 1 && text_[last - 2] != '\\');
    const bool known_after = first + 1 < text_.size() && IsSign(text_[first + 1]) && text_[first + 1] != '\\';
    return !known_before || !known_after || grams.HasAround(before, text_[last], text_[first], text_[first + 1]);
  }

  std::string_view text_;
  bool has_line_break_ = false;
  Candidates before_, after_;
  std::size_t end_of_blanks_ = 0;
};

// Letters that are not left out, and do not look like something else.
constexpr std::array<bool, 256> kOrdinary = [] {
  std::array<bool, 256> ordinary{};
  for (std::size_t i = 0; i < ordinary.size(); ++i) {
    const auto letter = static_cast<char>(i);
    ordinary[i] = IsSign(letter) && !IsDigit(letter) && !std::string_view("=>|\\").contains(letter);
  }
  return ordinary;
}();
bool IsOrdinary(char letter) { return kOrdinary[static_cast<unsigned char>(letter)]; }

// Whether the escape makes no join, as the letters next to it tell if only spaces are between: most escapes.
// REQUIRES: no escape of a blank is before it with only blanks between, unless that makes no join whatever follows.
bool IsNoJoin(std::string_view text, TextSpan escape, const LetterGrams& grams) {
  if (escape.size() != 2) return false;
  std::size_t last = escape.begin, first = escape.end;
  while (last > 0 && text[last - 1] == ' ') --last;
  while (first < text.size() && text[first] == ' ') ++first;
  if (last == 0 || first == text.size()) return true;
  return IsOrdinary(text[last - 1]) && IsOrdinary(text[first]) && !grams.HasPair(text[last - 1], text[first]);
}

// The ordinary letters that are not one of those.
template <class Predicate>
std::string OrdinaryLettersBut(Predicate those) {
  std::string letters;
  for (int i = 0; i < 0x80; ++i) {
    const auto letter = static_cast<char>(i);
    if (IsOrdinary(letter) && !those(letter)) letters += letter;
  }
  return letters;
}

}  // namespace

EscapedJoins::EscapedJoins(const LetterGrams& grams)
    : sets_({"\\", "nrt", OrdinaryLettersBut([&](char letter) { return grams.HasFirst(letter); }),
             OrdinaryLettersBut([&](char letter) { return grams.HasSecond(letter); })}) {}

template <class OnEscape>
void EscapedJoins::ForEachBlankEscape(std::string_view text, bool all, OnEscape&& on_escape) const {
  constexpr std::size_t kWords = 16;
  std::array<std::array<std::uint64_t, kWords + 1>, 4> masks;
  std::uint64_t backslash = 0, never_first = 0;  // of the bytes before, in the lowest bits
  for (std::size_t at = 0; at < text.size(); at += 64 * kWords) {
    const std::size_t words = WordsFrom(text, at, kWords), read = WordsFrom(text, at, kWords + 1);
    const auto first = [&](Set set) { return std::span(masks[set]).first(read); };
    sets_.Find(text, at, {first(kBackslashes), first(kNames), first(kNeverFirst), first(kNeverSecond)});
    for (std::size_t word = 0; word < words; ++word) {
      const std::uint64_t after_name = word + 1 < read ? masks[kNeverSecond][word + 1] : 0;
      const std::uint64_t never =
          masks[kNeverFirst][word] << 2 | never_first | masks[kNeverSecond][word] >> 1 | after_name << 63;
      std::uint64_t left = (masks[kBackslashes][word] << 1 | backslash) & masks[kNames][word] & (all ? ~0ULL : ~never);
      backslash = masks[kBackslashes][word] >> 63;
      never_first = masks[kNeverFirst][word] >> 62;
      for (; left != 0; left &= left - 1) {
        const std::size_t name = at + 64 * word + static_cast<std::size_t>(std::countr_zero(left));
        on_escape(TextSpan{BeginOfBackslashes(text, name), name + 1});
      }
    }
  }
}

std::vector<TextSpan> EscapedJoins::Find(std::string_view text, Blanks blanks, const LetterGrams& grams) const {
  std::vector<TextSpan> joins;
  if (!text.contains('\\')) return joins;
  const bool colored = text.contains(kTerminalEscape);  // what ends a color looks like a letter
  std::size_t done = 0;
  ForEachBlankEscape(text, colored, [&](TextSpan escape) {
    if (escape.begin < done || (!colored && IsNoJoin(text, escape, grams))) return;
    const EscapedJoin join(text, escape);
    if (colored || join.MayJoin(blanks, grams)) joins.push_back(escape);
    done = join.end_of_blanks();
  });
  return joins;
}

}  // namespace turnlog
