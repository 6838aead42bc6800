#include "sanitize/secrets/base64_runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "sanitize/secrets/ascii_in_base64.h"
#include "sanitize/secrets/byte_set.h"
#include "sanitize/secrets/byte_sets.h"
#include "sanitize/secrets/position_bits.h"

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

// What letters may be, and where letters begin that may be something.
struct RunBits {
  PositionBits letters;               // of base64
  PositionBits first, second, third;  // of a group of four that is three bytes of ASCII
  PositionBits headers, zeros;        // that may begin compressed data; that may be zero
  PositionBits enough, long_lines, ascii;
};

// How many letters in a row begin where these have a bit.
struct RunSizes {
  std::size_t enough, ascii;
};

// Where as many groups of four begin as may be whole in so many letters of ASCII, and the first letter of another one.
// The first letters rule out most words.
[[gnu::always_inline]] inline void FindAscii(RunBits& bits, std::size_t word, std::size_t groups) {
  const WordPairs first(bits.first, word);
  WordPairs begins = first;
  begins.KeepRows(1, groups, 4);
  if (groups > 1) {
    WordPairs group = first;
    group.Keep(WordPairs(bits.second, word), 1);
    group.Keep(WordPairs(bits.third, word), 2);
    group.KeepRows(1, groups - 1, 4);
    begins.Keep(group, 0);
  }
  begins.Write(bits.ascii, word);
}

[[gnu::always_inline]] inline void FindBegins(RunBits& bits, std::size_t words, const RunSizes& sizes) {
  for (std::size_t word = 0; word < words; word += PositionBits::kStep) {
    WordPairs letters(bits.letters, word);
    letters.KeepRows(1, sizes.enough);
    letters.Write(bits.enough, word);
    letters.KeepRows(sizes.enough, kLineLetters);
    letters.Write(bits.long_lines, word);
    FindAscii(bits, word, sizes.ascii / 4);
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void FindBeginsWithAvx2(RunBits& bits, std::size_t words, const RunSizes& sizes) {
  FindBegins(bits, words, sizes);
}
[[gnu::target("avx512bw")]] void FindBeginsWithAvx512(RunBits& bits, std::size_t words, const RunSizes& sizes) {
  FindBegins(bits, words, sizes);
}
#else
void FindBeginsWithAvx2(RunBits&, std::size_t, const RunSizes&) {}
void FindBeginsWithAvx512(RunBits&, std::size_t, const RunSizes&) {}
#endif

void FindBeginsWith(Vectors vectors, RunBits& bits, std::size_t words, const RunSizes& sizes) {
  switch (vectors) {
    case Vectors::kNone:
      return FindBegins(bits, words, sizes);
    case Vectors::kAvx2:
      return FindBeginsWithAvx2(bits, words, sizes);
    case Vectors::kAvx512:
      return FindBeginsWithAvx512(bits, words, sizes);
  }
}

class RunSearch {
 public:
  RunSearch(std::string_view text, const Base64Contents& contents, Vectors vectors)
      : text_(text),
        contents_(contents),
        vectors_(vectors),
        min_letters_(LettersOf(contents.min_bytes)),
        sizes_{std::clamp<std::size_t>(min_letters_, 1, kLineLetters), AsciiInBase64::LettersOf(contents.min_ascii)},
        line_ends_(Base64LetterSet(), text) {}

  std::vector<TextSpan> Find() && {
    constexpr std::size_t kBytes = 64 * PositionBits::kWords;
    for (std::size_t at = 0; at < text_.size(); at = std::max(at + kBytes, done_ / 64 * 64)) FindInWordsAt(at);
    return std::move(runs_);
  }

 private:
  void FindInWordsAt(std::size_t begin) {
    const std::size_t words = WordsFrom(text_, begin, PositionBits::kWords);
    Read(begin);
    FindBeginsWith(vectors_, bits_, words, sizes_);
    std::uint64_t before = 0;  // 1: the byte before is a letter
    for (std::size_t word = 0; word < words; ++word) {
      const std::size_t at = begin + 64 * word;
      const std::uint64_t starts = bits_.enough[word] & ~(bits_.letters[word] << 1 | before);
      before = bits_.letters[word] >> 63;
      if (at + 64 > done_) TakeEach(at, Wanted(at, word, starts));
    }
  }

  void Read(std::size_t begin) {
    static const ByteSets<6> sets({kBase64Letters, AsciiInBase64::LettersAt(0), AsciiInBase64::LettersAt(1),
                                   AsciiInBase64::LettersAt(2), "He", "A"});
    const std::size_t count = WordsFrom(text_, begin, PositionBits::kWords + 1);
    sets.Find(text_, begin,
              {bits_.letters.First(count), bits_.first.First(count), bits_.second.First(count),
               bits_.third.First(count), bits_.headers.First(count), bits_.zeros.First(count)});
  }

  // A bit for each of 64 positions at which a run is wanted: it begins there, or goes on there.
  std::uint64_t Wanted(std::size_t at, std::size_t word, std::uint64_t starts) const {
    if (sizes_.ascii == 0) return starts;
    const std::uint64_t always = bits_.long_lines[word] | MayBeCompressed(at, word, starts) | MayBeUtf16(word);
    return (starts & always) | bits_.ascii[word];
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

  std::uint64_t MayBeCompressed(std::size_t at, std::size_t word, std::uint64_t starts) const {
    if (!contents_.compressed) return 0;
    const std::uint64_t here = bits_.headers[word], next = bits_.headers[word + 1];
    std::uint64_t found = here;
    // The first letter may be the name of an escape.
    for (std::uint64_t left = starts & (here >> 1 | next << 63); left != 0; left &= left - 1) {
      const int index = std::countr_zero(left);
      const std::size_t place = at + static_cast<std::size_t>(index);
      if (place > 0 && text_[place - 1] == '\\') found |= std::uint64_t{1} << index;
    }
    return found;
  }

  // Many letters of UTF-16 stand for zero bytes. A short run has none beyond the next word.
  std::uint64_t MayBeUtf16(std::size_t word) const {
    return contents_.utf16 && (bits_.zeros[word] | bits_.zeros[word + 1]) != 0 ? ~std::uint64_t{0} : 0;
  }

  std::string_view text_;
  Base64Contents contents_;
  Vectors vectors_;
  std::size_t min_letters_;
  RunSizes sizes_;
  RunBits bits_;
  ByteSearch line_ends_;
  std::size_t done_ = 0;  // where the last run ends
  std::vector<TextSpan> runs_;
};

}  // namespace

const ByteSet& Base64LetterSet() {
  static const ByteSet letters(kBase64Letters);
  return letters;
}

std::vector<TextSpan> FindBase64Runs(std::string_view text, const Base64Contents& contents, Vectors most) {
  return RunSearch(text, contents, SupportedVectors(most)).Find();
}

bool MayGoOnAfterEscape(std::string_view text, TextSpan run) {
  return run.size() >= kLineLetters && run.end < text.size() && (text[run.end] == '\\' || text[run.end] == '\r');
}

bool IsWrapped(std::string_view run) { return run.size() > kLineLetters && (run.contains('\n') || run.contains('\r')); }

}  // namespace turnlog
