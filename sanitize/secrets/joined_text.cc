#include "sanitize/secrets/joined_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "sanitize/secrets/byte_set.h"
#include "sanitize/secrets/text_bytes.h"

namespace turnlog {
namespace {

constexpr char kBell = '\x07';

// Bytes that may begin something to leave out.
const ByteSet& MayBegin(Blanks blanks) {
  constexpr std::string_view kInvisible = "\xc2\xe2\xef\xf3";  // the first bytes of invisible characters
  static const ByteSet kept(std::string("\n\r").append(1, kTerminalEscape).append(kInvisible));
  static const ByteSet left_out(std::string("\n\r \t").append(1, kTerminalEscape).append(kInvisible));
  return blanks == Blanks::kKept ? kept : left_out;
}

bool IsAscii(char letter) { return static_cast<unsigned char>(letter) < 0x80; }

template <class Predicate>
std::size_t SkipWhile(std::string_view text, std::size_t at, Predicate matches) {
  while (at < text.size() && matches(text[at])) ++at;
  return at;
}

// The end of the first of `words` that is at text[at], or `at`.
template <std::size_t N>
std::size_t SkipOneOf(std::string_view text, std::size_t at, const std::array<std::string_view, N>& words) {
  for (const std::string_view word : words) {
    if (at < text.size() && text[at] == word[0] && text.substr(at).starts_with(word)) return at + word.size();
  }
  return at;
}

constexpr std::array<std::string_view, 2> kBars{"\u2502", "\u2503"};

// A quote, the bar of a frame, or a line number.
std::size_t SkipLinePrefix(std::string_view text, std::size_t at) {
  const char first = text[at];  // most lines begin with another letter
  if (first != '>' && first != '|' && first != kBars[0][0] && (first < '0' || first > '9')) return at;
  constexpr std::array<std::string_view, 4> kQuotes{"> ", "| ", kBars[0], kBars[1]};
  constexpr std::array<std::string_view, 3> kAfterNumber{"\u2192", "\t", kBars[0]};
  const std::size_t quote = SkipOneOf(text, at, kQuotes);
  if (quote > at) return quote;
  const std::size_t number = SkipWhile(text, at, [](char letter) { return letter >= '0' && letter <= '9'; });
  const std::size_t end = number > at ? SkipOneOf(text, number, kAfterNumber) : at;
  return end > number ? end : at;
}

// The beginning of the blanks before text[at], which is a line break, and of what continues or frames the line.
// REQUIRES: nothing before text[from] is left out.
std::size_t LineEnd(std::string_view text, std::size_t from, std::size_t at) {
  const auto skip_blanks = [&] {
    while (at > from && IsBlank(text[at - 1])) --at;
  };
  skip_blanks();
  const std::string_view line = text.substr(from, at - from);
  // Most lines end with another letter.
  if (line.empty() || (line.back() != '\\' && line.back() != '=' && IsAscii(line.back()))) return at;
  constexpr std::size_t kMailLine = 60;  // only long lines of mails are broken
  const bool mail = line.size() >= kMailLine && line.ends_with('=') && !line.ends_with("==");
  if (line.ends_with('\\') || mail) return at - 1;
  for (const std::string_view bar : kBars) {
    if (!line.ends_with(bar)) continue;
    at -= bar.size();
    skip_blanks();
    return at;
  }
  return at;
}

// A color (CSI), a title or link (OSC), or any other sequence of two bytes.
std::size_t SkipTerminalSequence(std::string_view text, std::size_t at) {
  const auto in = [&](std::size_t i, char first, char last) {
    return i < text.size() && text[i] >= first && text[i] <= last;
  };
  std::size_t end = at + 1;
  if (in(end, '[', '[')) {
    ++end;
    while (in(end, ' ', '?')) ++end;
    return std::min(end + 1, text.size());
  }
  if (!in(end, ']', ']')) return std::min(end + 1, text.size());
  constexpr std::size_t kLongest = 4096;
  for (const std::size_t last = std::min(text.size(), end + kLongest); end < last; ++end) {
    if (text[end] == kBell) return end + 1;
    if (text[end] == kTerminalEscape) return std::min(end + 2, text.size());
  }
  return at + 2;
}

std::size_t SkipInvisible(std::string_view text, std::size_t at) {
  if (IsAscii(text[at])) return at;
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned int lead = byte(at), second = byte(at + 1), third = byte(at + 2);
  const bool soft_hyphen = lead == 0xc2 && second == 0xad;
  const bool zero_width = lead == 0xe2 && second == 0x80 && third >= 0x8b && third <= 0x8f;
  const bool direction = lead == 0xe2 && second == 0x80 && third >= 0xaa && third <= 0xae;
  const bool joiner = lead == 0xe2 && second == 0x81 && third >= 0xa0 && third <= 0xaf;
  const bool byte_order_mark = lead == 0xef && second == 0xbb && third == 0xbf;
  const bool selector = lead == 0xef && second == 0xb8 && third >= 0x80 && third <= 0x8f;
  // Tags, and more selectors.
  if (lead == 0xf3 && second == 0xa0 && third >= 0x80 && third <= 0x87 && at + 4 <= text.size()) return at + 4;
  return soft_hyphen ? at + 2 : zero_width || direction || joiner || byte_order_mark || selector ? at + 3 : at;
}

// The end of what is between two lines: one or more line breaks and what begins the next line.
std::size_t SkipLineBreaks(std::string_view text, std::size_t at) {
  bool may_have_prefix = true;
  for (std::size_t end = at; end < text.size(); at = end) {
    if (IsBlank(text[at])) {
      end = SkipWhile(text, at + 1, IsBlank);
    } else if (IsLineBreak(text[at])) {
      may_have_prefix = true;
      end = at + 1;
    } else {
      end = text[at] == kTerminalEscape ? SkipTerminalSequence(text, at) : SkipInvisible(text, at);
      if (end == at && may_have_prefix) end = SkipLinePrefix(text, at), may_have_prefix = false;
      if (end == at) break;
    }
  }
  return at;
}

// What to leave out at text[at], if anything.
TextSpan LeftOut(std::string_view text, std::size_t copied, std::size_t at) {
  if (text[at] == kTerminalEscape) return {at, SkipTerminalSequence(text, at)};
  if (IsBlank(text[at])) return {at, at + 1};
  if (!IsLineBreak(text[at])) return {at, SkipInvisible(text, at)};
  return {LineEnd(text, copied, at), SkipLineBreaks(text, at)};
}

// Calls on_left_out(out, copied) for each part to leave out; `copied`: the end of the last one.
template <class OnLeftOut>
void ForEachLeftOut(std::string_view text, Blanks blanks, OnLeftOut on_left_out) {
  ByteSearch may_begin(MayBegin(blanks), text);
  std::size_t copied = 0;
  for (std::size_t at = may_begin.Next(0); at < text.size(); at = may_begin.Next(at)) {
    const TextSpan out = LeftOut(text, copied, at);
    if (out.begin < out.end) {
      on_left_out(out, copied);
      copied = out.end;
    }
    at = std::max(at + 1, out.end);
  }
}

std::size_t BeginOfLine(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 4096;
  const std::size_t from = at - std::min(at, kLongest);
  const std::size_t line_break = text.substr(from, at - from).rfind('\n');
  return line_break == std::string_view::npos ? from : from + line_break + 1;
}

}  // namespace

void LetterGrams::Add(std::string_view value) {
  pairs_.resize((std::size_t{1} << 16) / 64);
  grams_.resize((std::size_t{1} << kSlotBits) / 64);
  longest_ = std::max(longest_, value.size());
  for (std::size_t i = 1; i < value.size(); ++i) {
    const std::uint32_t pair = Pair(value[i - 1], value[i]);
    firsts_[Code(value[i - 1])] = seconds_[Code(value[i])] = true;
    Set(pairs_, pair);
    Set(grams_, Slot(i > 1 ? Code(value[i - 2]) : kEnd, pair, i + 1 < value.size() ? Code(value[i + 1]) : kEnd));
  }
}

std::optional<DecodedText> JoinLines(std::string_view text, Blanks blanks) {
  std::optional<DecodedText> joined;
  std::size_t end = 0;
  ForEachLeftOut(text, blanks, [&](TextSpan out, std::size_t copied) {
    if (!joined) joined.emplace(text.size());
    joined->Append(text.substr(copied, out.begin - copied));
    joined->EndSpan(joined->size(), out);
    end = out.end;
  });
  if (joined) joined->Append(text.substr(end));
  return joined;
}

std::optional<DecodedText> WithoutTerminalSequences(std::string_view text) {
  std::optional<DecodedText> plain;
  std::size_t copied = 0;
  for (std::size_t at = text.find(kTerminalEscape); at != std::string_view::npos;
       at = text.find(kTerminalEscape, copied)) {
    if (!plain) plain.emplace(text.size());
    plain->Append(text.substr(copied, at - copied));
    copied = SkipTerminalSequence(text, at);
    plain->EndSpan(plain->size(), {at, copied});
  }
  if (plain) plain->Append(text.substr(copied));
  return plain;
}

std::vector<TextSpan> FindJoins(std::string_view text, Blanks blanks, const LetterGrams& grams) {
  std::vector<TextSpan> joins;
  char last = '\0', before = '\0';  // the last letters that are not left out
  ForEachLeftOut(text, blanks, [&](TextSpan out, std::size_t copied) {
    if (out.begin > copied) {
      before = out.begin - copied > 1 ? text[out.begin - 2] : last;
      last = text[out.begin - 1];
    }
    if (out.end == text.size() || !grams.HasPair(last, text[out.end])) return;
    const char after = out.end + 1 < text.size() ? text[out.end + 1] : '\0';
    if (!MayBegin(blanks).Has(after) && !grams.HasAround(before, last, text[out.end], after)) return;
    const std::size_t begin = BeginOfLine(text, out.begin - std::min(out.begin, grams.longest()));
    const std::size_t end = std::min(text.size(), out.end + grams.longest());
    if (!joins.empty() && begin <= joins.back().end) {
      joins.back().end = end;
    } else {
      joins.push_back({begin, end});
    }
  });
  return joins;
}

}  // namespace turnlog
