#include "sanitize/secrets/base64_runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "sanitize/secrets/ascii_in_base64.h"
#include "sanitize/secrets/byte_set.h"

namespace turnlog {
namespace {

// The end of the line break at text[at], or `at`.
std::size_t SkipLineBreak(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at, 2);
  return at + (rest == "\r\n" ? 2 : rest.starts_with('\n') || rest.starts_with('\r') ? 1 : 0);
}

constexpr std::size_t kLineLetters = 40;  // shorter lines are not wrapped base64

std::size_t SkipIndentation(std::string_view text, std::size_t at) {
  constexpr std::size_t kMost = 64;
  const std::size_t end = text.substr(0, at + kMost).find_first_not_of(" \t", at);
  return end == std::string_view::npos ? at : end;
}

// Whether the letters before text[at] end a line: an indented line that goes on is not wrapped base64.
bool EndsLine(std::string_view text, std::size_t at) {
  return at == text.size() || std::string_view("\r\n=\"'`<").contains(text[at]);
}

// The end of the run whose first line is text[begin, end), without its padding. Blocks of YAML are indented.
std::size_t EndOfRun(std::string_view text, ByteSearch& letters, std::size_t begin, std::size_t end) {
  while (end - begin >= kLineLetters) {
    const std::size_t line = SkipLineBreak(text, end);
    begin = SkipIndentation(text, line);
    if (line == end || begin == text.size() || !Base64LetterSet().Has(text[begin])) break;
    const std::size_t end_of_line = letters.NextOther(begin);
    if (begin > line && !EndsLine(text, end_of_line)) break;
    end = end_of_line;
  }
  return end;
}

std::size_t SkipPadding(std::string_view text, std::size_t at) {
  for (int padding = 0; padding < 2 && at < text.size() && text[at] == '='; ++padding) ++at;
  return at;
}

// As many letters as stand for so many bytes.
std::size_t LettersOf(std::size_t bytes) { return bytes / 3 * 4 + (bytes % 3 * 8 + 5) / 6; }

// A bit for each of 64 positions, and for the 64 after these.
struct TwoWords {
  std::uint64_t here = 0, next = 0;

  // REQUIRES: at most 63.
  TwoWords operator>>(std::size_t by) const { return {here >> by | next << 1 << (63 - by), next >> by}; }
  TwoWords operator&(const TwoWords& other) const { return {here & other.here, next & other.next}; }
  TwoWords& operator&=(const TwoWords& other) { return *this = *this & other; }
};

// The masks of 2 KiB of text, and of the 64 bytes after these.
class Masks {
 public:
  static constexpr std::size_t kWords = 32, kBytes = 64 * kWords;

  void Read(const ByteSet& set, std::string_view text, std::size_t at) {
    const std::size_t words = std::min(kWords, (text.size() - at + 63) / 64);
    set.Find(text, at, std::span(words_).first(words + 1));
  }
  TwoWords At(std::size_t word) const { return {words_[word], words_[word + 1]}; }

 private:
  std::array<std::uint64_t, kWords + 1> words_;
};

class RunSearch {
 public:
  RunSearch(std::string_view text, const Base64Contents& contents)
      : text_(text),
        contents_(contents),
        min_letters_(LettersOf(contents.min_bytes)),
        min_line_(std::clamp<std::size_t>(min_letters_, 1, kLineLetters)),
        ascii_letters_(AsciiInBase64::LettersOf(contents.min_ascii)),
        line_ends_(Base64LetterSet(), text) {}

  std::vector<TextSpan> Find() && {
    for (std::size_t at = 0; at < text_.size(); at = std::max(at + Masks::kBytes, done_ / 64 * 64)) FindInMasksAt(at);
    return std::move(runs_);
  }

 private:
  void FindInMasksAt(std::size_t begin) {
    const std::size_t end = std::min(begin + Masks::kBytes, text_.size());
    letters_.Read(Base64LetterSet(), text_, begin);
    if (ascii_letters_ > 0) {
      first_.Read(AsciiInBase64::LettersAt(0), text_, begin);
      if (contents_.compressed) headers_.Read(CompressedHeaders(), text_, begin);
      if (contents_.utf16) zeros_.Read(ZeroLetters(), text_, begin);
    }
    std::uint64_t before = 0;  // 1: the byte before is a letter
    for (std::size_t at = begin, word = 0; at < end; at += 64, ++word) {
      const TwoWords letters = letters_.At(word);
      const std::uint64_t starts = letters.here & ~(letters.here << 1 | before);
      before = letters.here >> 63;
      if (at + 64 > done_) TakeEach(at, Wanted(at, word, starts));
    }
  }
  void TakeEach(std::size_t at, std::uint64_t wanted) {
    for (; wanted != 0; wanted &= wanted - 1) {
      const std::size_t place = at + static_cast<std::size_t>(std::countr_zero(wanted));
      if (place >= done_) TakeAround(place);
    }
  }
  void TakeAround(std::size_t place) {
    std::size_t begin = place;
    while (begin > done_ && Base64LetterSet().Has(text_[begin - 1])) --begin;
    const std::size_t end = EndOfRun(text_, line_ends_, begin, line_ends_.NextOther(place));
    if (end - begin >= min_letters_) runs_.push_back({begin, SkipPadding(text_, end)});
    done_ = end;
  }

  // A bit for each of 64 positions at which a run is wanted: it begins there, or goes on there.
  std::uint64_t Wanted(std::size_t at, std::size_t word, std::uint64_t starts) const {
    const TwoWords enough = WhereBegin(letters_.At(word), min_line_);
    if (enough.here == 0) return 0;
    starts &= enough.here;
    if (ascii_letters_ == 0) return starts;
    const std::uint64_t always = LongLines(enough) | MayBeCompressed(at, word, starts) | MayBeUtf16(word);
    return (starts & always) | MayBeAscii(at, word);
  }

  // Of lines that have `enough` letters.
  std::uint64_t LongLines(TwoWords enough) const {
    for (std::size_t have = min_line_; have < kLineLetters;) {
      const std::size_t more = std::min(have, kLineLetters - have);
      enough &= enough >> more;
      have += more;
    }
    return enough.here;
  }

  // Where as many groups of four begin as may be whole in so many letters of ASCII, and the first letter of another
  // one. The first letters rule out most words.
  std::uint64_t MayBeAscii(std::size_t at, std::size_t word) const {
    const TwoWords first = first_.At(word);
    TwoWords begins = first;
    for (std::size_t i = 4; i + 4 <= ascii_letters_; i += 4) begins &= first >> i;
    if (begins.here == 0) return 0;
    const TwoWords group = first & LettersAt(1, at) >> 1 & LettersAt(2, at) >> 2;
    for (std::size_t i = 0; i + 8 <= ascii_letters_; i += 4) begins &= group >> i;
    return begins.here;
  }
  TwoWords LettersAt(std::size_t index, std::size_t at) const {
    std::array<std::uint64_t, 2> words;
    AsciiInBase64::LettersAt(index).Find(text_, at, words);
    return {words[0], words[1]};
  }

  std::uint64_t MayBeCompressed(std::size_t at, std::size_t word, std::uint64_t starts) const {
    if (!contents_.compressed) return 0;
    const TwoWords headers = headers_.At(word);
    std::uint64_t found = headers.here;
    // The first letter may be the name of an escape.
    for (std::uint64_t left = starts & (headers >> 1).here; left != 0; left &= left - 1) {
      const int index = std::countr_zero(left);
      const std::size_t place = at + static_cast<std::size_t>(index);
      if (place > 0 && text_[place - 1] == '\\') found |= std::uint64_t{1} << index;
    }
    return found;
  }
  static const ByteSet& CompressedHeaders() {
    static const ByteSet letters("He");  // of MayBeCompressed
    return letters;
  }

  // Many letters of UTF-16 stand for zero bytes. A short run has none beyond the next word.
  std::uint64_t MayBeUtf16(std::size_t word) const {
    if (!contents_.utf16) return 0;
    const TwoWords zeros = zeros_.At(word);
    return (zeros.here | zeros.next) == 0 ? 0 : ~std::uint64_t{0};
  }
  static const ByteSet& ZeroLetters() {
    static const ByteSet letters("A");
    return letters;
  }

  std::string_view text_;
  Base64Contents contents_;
  std::size_t min_letters_, min_line_, ascii_letters_;
  Masks letters_, first_, headers_, zeros_;  // all base64; and that may begin ASCII, compressed data, be zero
  ByteSearch line_ends_;
  std::size_t done_ = 0;  // where the last run ends
  std::vector<TextSpan> runs_;
};

}  // namespace

const ByteSet& Base64LetterSet() {
  static const ByteSet letters(kBase64Letters);
  return letters;
}

std::vector<TextSpan> FindBase64Runs(std::string_view text, const Base64Contents& contents) {
  return RunSearch(text, contents).Find();
}

bool MayGoOnAfterEscape(std::string_view text, TextSpan run) {
  return run.size() >= kLineLetters && run.end < text.size() && (text[run.end] == '\\' || text[run.end] == '\r');
}

bool IsWrapped(std::string_view run) { return run.size() > kLineLetters && (run.contains('\n') || run.contains('\r')); }

}  // namespace turnlog
