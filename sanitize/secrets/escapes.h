// Decodes escaped characters: with a backslash as in JSON, a percent sign as in URLs, or as entities of HTML.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sanitize/secrets/byte_set.h"
#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

// How many levels of escapes a value may stand behind. JSON within JSON within JSON is common where tools call tools:
// four levels in a text, which may be a string in a file of JSON, which an import keeps as a string in JSON.
inline constexpr int kMaxEscapes = 6;

enum class EscapeKind : std::uint8_t { kAny, kBackslash, kPercent, kEntity };

// Decodes one level of escapes. More lenient than JSON: "\$", "\x24" and "\u{24}" are "$". Nothing if there are none.
std::optional<DecodedText> UndoEscapes(std::string_view text, EscapeKind kind = EscapeKind::kAny);

// Whether each escape of the text stands for a line break, a tab or a quote, behind any number of backslashes: decoding
// only parts the text there, in this layer and in those below. What is decoded of such a text has no word of letters,
// digits and signs that the text does not have, and no base64 but what a line break continues.
bool HasOnlyPlainEscapes(std::string_view text);

// A decoded escape and its length in the text.
struct Escape {
  std::size_t length = 0;  // 0: there is none
  std::uint32_t code = 0;
  bool is_byte = false;  // a byte, not a character
};

// What a letter stands for after a backslash; 0 for those that are read with what follows.
inline constexpr std::array<char, 256> kBackslashMeanings = [] {
  std::array<char, 256> meanings{};
  for (std::size_t i = 0; i < meanings.size(); ++i) meanings[i] = static_cast<char>(i);
  meanings['b'] = '\b', meanings['f'] = '\f', meanings['n'] = '\n', meanings['r'] = '\r', meanings['t'] = '\t';
  meanings['u'] = meanings['x'] = meanings['%'] = meanings['&'] = '\0';
  return meanings;
}();

// Finds escapes from left to right.
class EscapeSearch {
 public:
  EscapeSearch(std::string_view text, EscapeKind kind);

  // Where the first escape at or after `at` begins; the size of the text if there is none. REQUIRES: `at` does not
  // decrease.
  std::size_t Next(std::size_t at) {
    for (at = NextSign(at); at < text_.size(); at = NextSign(at + 1)) {
      Read(at);
      if (last_.length > 0) break;
    }
    return at;
  }
  const Escape& last() const { return last_; }
  static char MeaningOf(char name) { return kBackslashMeanings[static_cast<unsigned char>(name)]; }

 private:
  std::size_t NextSign(std::size_t at) {
    for (;; ReadBlock(at)) {
      while (next_ < found_ && begin_ + signs_[next_] < at) ++next_;
      if (next_ < found_) return begin_ + signs_[next_];
      at = std::max(at, end_);
      if (at >= text_.size()) return text_.size();
    }
  }
  void ReadBlock(std::size_t at);
  void Read(std::size_t at) {
    const char meaning = text_[at] == '\\' && at + 1 < text_.size() ? MeaningOf(text_[at + 1]) : '\0';
    if (meaning == '\0') return ReadOther(at);
    last_ = {2, static_cast<unsigned char>(meaning), true};
  }
  void ReadOther(std::size_t at);

  static constexpr std::size_t kBlock = 1024;

  std::string_view text_;
  EscapeKind kind_;
  Escape last_;
  // Where one may begin in text[begin_, end_), relative to `begin_`. What is written at once may be more.
  std::array<std::uint16_t, kBlock + 8> signs_;
  std::size_t begin_ = 0, end_ = 0, found_ = 0, next_ = 0;
};

// The parts of a text that have escapes, one after another.
class EscapedParts {
 public:
  EscapedParts(std::string_view text, EscapeKind kind);

  // With `around` bytes or more at both ends, unless the text ends, and up to a blank or quote. Nothing if there is no
  // other part.
  std::optional<TextSpan> Next(std::size_t around);
  // The part with more text around it; the next part comes after that.
  TextSpan Widen(TextSpan part, std::size_t around);

 private:
  // The end of what follows an escape that ends at `from` without a gap of `gap` bytes. Backslashes are escapes.
  std::size_t SkipBackslashes(std::size_t from, std::size_t gap) const;
  void FindEscape(std::size_t at);
  std::size_t Begin(std::size_t from, std::size_t at) const;
  std::size_t End(std::size_t at);

  std::string_view text_;
  EscapeKind kind_;
  EscapeSearch search_;
  ByteSearch ends_;       // where a part may end
  TextSpan escape_;       // the next one; at the end of the text if there is none
  std::size_t done_ = 0;  // the end of the last part
};

// `span` extended to whole backslash escapes, so that a JSON string without it is still valid.
TextSpan WholeEscapes(std::string_view text, TextSpan span);

}  // namespace turnlog
