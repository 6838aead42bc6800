#include "sanitize/secrets/base64_runs.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/base64.h"
#include "base/utf8.h"

namespace turnlog {
namespace {

std::uint8_t ValueOf(char letter) { return kAnyBase64[static_cast<unsigned char>(letter)]; }
bool IsLetter(char letter) { return ValueOf(letter) != kNoBase64; }

#if defined(__SSE2__)
constexpr std::size_t kBlock = 16;

[[gnu::always_inline]] inline __m128i BytesAt(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}
// One signed comparison for both ends of the range.
[[gnu::always_inline]] inline __m128i AreIn(__m128i bytes, char first, int number) {
  const __m128i moved = _mm_sub_epi8(bytes, _mm_set1_epi8(static_cast<char>(first + 128)));
  return _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(number - 128)));
}

// A bit for each of the sixteen bytes that is a letter.
[[gnu::always_inline]] inline std::uint32_t LettersIn(const char* at) {
  const __m128i bytes = BytesAt(at);
  const auto is = [&](char letter) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(letter)); };
  const __m128i letters = AreIn(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 26);
  const __m128i signs = _mm_or_si128(_mm_or_si128(is('+'), is('-')), is('_'));
  const __m128i all = _mm_or_si128(_mm_or_si128(letters, AreIn(bytes, '/', 11)), signs);  // from '/' to '9'
  return static_cast<std::uint32_t>(_mm_movemask_epi8(all));
}

// A bit for each of the sixteen letters that may be the first of a group that is ASCII text (see MayBeAscii).
[[gnu::always_inline]] inline std::uint32_t FirstLettersIn(const char* at) {
  const __m128i bytes = BytesAt(at);
  const __m128i all = _mm_or_si128(_mm_or_si128(AreIn(bytes, 'C', 2), AreIn(bytes, 'I', 18)), AreIn(bytes, 'a', 6));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(all));
}
#endif

// The position after the last of the first `count` bytes at text[at] that is no letter; `at` if all are letters.
std::size_t SkipLastOther(std::string_view text, std::size_t at, std::size_t count) {
  std::size_t end = at + count;
#if defined(__SSE2__)
  for (; end - at >= kBlock; end -= kBlock) {
    const std::uint32_t others = ~LettersIn(text.data() + end - kBlock) & 0xffffU;
    if (others != 0) return end - kBlock + static_cast<std::size_t>(std::bit_width(others));
  }
#endif
  while (end > at && IsLetter(text[end - 1])) --end;
  return end;
}

constexpr std::size_t kShortRun = 8;

// Skips runs of fewer than eight letters, and what is between them. REQUIRES: no run goes on at text[at].
std::size_t SkipShortRuns(std::string_view text, std::size_t at) {
#if defined(__SSE2__)
  while (at + 2 * kBlock <= text.size()) {
    const std::uint32_t letters = LettersIn(text.data() + at) | LettersIn(text.data() + at + kBlock) << kBlock;
    std::uint32_t runs = letters & letters >> 1;
    runs &= runs >> 2;
    runs &= runs >> 4;  // a bit where eight letters begin
    if (runs != 0) return at + static_cast<std::size_t>(std::countr_zero(runs));
    at += 2 * kBlock - static_cast<std::size_t>(std::countl_one(letters));
  }
#endif
  return at;
}

std::size_t SkipLetters(std::string_view text, std::size_t at) {
  while (at < text.size() && IsLetter(text[at])) ++at;
  return at;
}

// The end of the line break at text[at], or `at`.
std::size_t SkipLineBreak(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at, 2);
  return at + (rest == "\r\n" ? 2 : rest.starts_with('\n') || rest.starts_with('\r') ? 1 : 0);
}

constexpr std::size_t kLineLetters = 40;  // shorter lines are not wrapped base64

// The end of the run whose first line is text[begin, end), without its padding.
std::size_t EndOfRun(std::string_view text, std::size_t begin, std::size_t end) {
  while (end - begin >= kLineLetters) {
    begin = SkipLineBreak(text, end);
    if (begin == end || begin == text.size() || !IsLetter(text[begin])) break;
    end = SkipLetters(text, begin);
  }
  return end;
}

std::size_t SkipPadding(std::string_view text, std::size_t at) {
  for (int padding = 0; padding < 2 && at < text.size() && text[at] == '='; ++padding) ++at;
  return at;
}

// Long enough that it is not text by chance.
bool IsText(std::string_view decoded) {
  constexpr std::size_t kMinBytes = 12;
  const auto is_control = [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte == 0x7f || (byte < ' ' && letter != '\n' && letter != '\r' && letter != '\t');
  };
  return decoded.size() >= kMinBytes && std::ranges::none_of(decoded, is_control) && IsUtf8(decoded);
}

void DecodeRun(std::string_view run, std::size_t phase, DecodedText& out) {
  std::uint32_t bits = 0;
  int count = 0;
  for (std::size_t at = phase; at < run.size();) {
    if (count == 0 && at + 4 <= run.size()) {
      const std::uint32_t group = Base64Group(kAnyBase64, run.data() + at);
      if (group != kNoBase64Group) {
        out.AppendThree(group);
        at += 4;
        continue;
      }
    }
    const std::uint8_t value = ValueOf(run[at++]);
    if (value == kNoBase64) continue;  // a line break or padding
    bits = bits << 6 | value;
    if (++count < 4) continue;
    out.AppendThree(bits);
    count = 0;
  }
  if (count >= 2) out.Append(static_cast<char>(bits >> (6 * count - 8) & 0xff));
  if (count == 3) out.Append(static_cast<char>(bits >> 2 & 0xff));
}

bool HasLineBreak(std::string_view letters) {
  return letters.size() > kLineLetters && (letters.contains('\n') || letters.contains('\r'));
}

// Whether a letter may be the one with this index of a group of four that is three bytes of ASCII text. The top bits of
// the bytes are in the first three letters; the first one also has all bits that rule out control characters.
bool MayBeAscii(char letter, std::size_t index) {
  constexpr std::uint64_t kFirst = 0xffffff0cU;  // tab, line breaks, and 0x20 to 0x7f
  const std::uint8_t value = ValueOf(letter);
  if (value == kNoBase64) return false;
  return index == 0 ? (kFirst >> value & 1) != 0 : index == 1 ? (value & 0x08) == 0 : index == 3 || (value & 0x02) == 0;
}

bool MayHoldAsciiInLines(std::string_view run, std::size_t phase, std::size_t min_letters) {
  std::size_t letters = 0;
  std::size_t at = kBase64Phases - phase;
  for (const char letter : run) {
    if (!IsLetter(letter)) continue;  // a line break or padding
    letters = MayBeAscii(letter, at++ % kBase64Phases) ? letters + 1 : 0;
    if (letters >= min_letters) return true;
  }
  return false;
}

constexpr std::size_t kLongestPart = 1024;  // longer ones are hardly names in a path

// After the last slash before letters[at] where base64 may begin; 0 if there is none.
std::size_t BeginOfPart(std::string_view letters, std::size_t phase, std::size_t at) {
  const std::size_t from = at - std::min(at, kLongestPart);
  for (std::size_t begin = at; begin > from; --begin) {
    if (letters[begin - 1] == '/' && begin % 4 == phase) return begin;
  }
  return 0;
}

std::size_t EndOfPart(std::string_view letters, std::size_t at) {
  const std::size_t slash = letters.substr(0, at + kLongestPart).find('/', at);
  return std::min(slash, letters.size());
}

}  // namespace

std::vector<TextSpan> FindBase64Runs(std::string_view text, std::size_t min_bytes) {
  const std::size_t min_letters = min_bytes / 3 * 4 + (min_bytes % 3 * 8 + 5) / 6;
  const std::size_t min_line = std::clamp<std::size_t>(min_letters, 1, kLineLetters);
  std::vector<TextSpan> runs;
  for (std::size_t at = 0; at + min_line <= text.size();) {
    if (min_line >= kShortRun && min_line < 2 * kShortRun) at = SkipShortRuns(text, at);
    if (at + min_line > text.size()) break;
    // A run from `at` on has a letter at its last position, too: checking backwards from there skips most of the text.
    if (const std::size_t begin = SkipLastOther(text, at, min_line); begin > at) {
      at = begin;
      continue;
    }
    const std::size_t end = EndOfRun(text, at, SkipLetters(text, at + min_line));
    if (end - at >= min_letters) runs.push_back({at, SkipPadding(text, end)});
    at = end;
  }
  return runs;
}

bool MayHoldAscii(std::string_view run, std::size_t phase, std::size_t min_bytes) {
  const std::size_t min_letters = min_bytes / 3 * 4;
  if (HasLineBreak(run)) return MayHoldAsciiInLines(run, phase, min_letters);
  const std::size_t first = kBase64Phases - phase;  // of run[at], the index in its group is that of first + at
  for (std::size_t at = 0; at + min_letters <= run.size();) {
    // The first letter of a group rules out most: looks at these from the end of the stretch, then at the others.
    const std::size_t end = at + min_letters;
    std::size_t last = end;
    while (last > at && (first + last - 1) % kBase64Phases != 0) --last;
    while (last > at && MayBeAscii(run[last - 1], 0)) last -= std::min(kBase64Phases, last - at);
    if (last == at) {
      last = end;
      while (last > at && MayBeAscii(run[last - 1], (first + last - 1) % kBase64Phases)) --last;
    }
    if (last == at) return true;
    at = last;
  }
  return false;
}

bool MayHoldAsciiInAnyPhase(std::string_view text, TextSpan run, std::size_t min_bytes) {
#if defined(__SSE2__)
  constexpr std::size_t kTwoGroups = 6;  // bytes
  const bool fits = run.size() <= 2 * kBlock && run.begin + 2 * kBlock <= text.size();
  if (!fits || min_bytes < kTwoGroups) return true;
  const char* const at = text.data() + run.begin;
  const std::uint64_t first = FirstLettersIn(at) | FirstLettersIn(at + kBlock) << kBlock;
  const std::uint64_t in_run = first & ((std::uint64_t{1} << run.size()) - 1);
  return (in_run & in_run >> kBase64Phases) != 0;  // of two groups in a row
#else
  return (void)text, (void)run, (void)min_bytes, true;
#endif
}

bool MayHoldUtf16(std::string_view run) {
  // Of eight letters two or more have only bits of a zero byte; twelve bytes have two times eight within one to spare.
  constexpr std::size_t kZeros = 3, kWithin = 16;
  std::size_t last[kZeros] = {};
  std::size_t count = 0;
  for (std::size_t at = run.find('A'); at != std::string_view::npos; at = run.find('A', at + 1)) {
    std::size_t& oldest = last[count % kZeros];
    if (count >= kZeros - 1 && at - last[(count + 1) % kZeros] < kWithin) return true;
    oldest = at;
    ++count;
  }
  return false;
}

DecodedRuns DecodeBase64Runs(std::string_view text, std::vector<TextSpan>& runs, std::size_t phase) {
  std::size_t room = 0;
  for (const TextSpan& run : runs) room += run.size() / 4 * 3 + 4;
  DecodedRuns result{.decoded = DecodedText(room), .phase = phase, .whole = {}};
  std::erase_if(runs, [&](const TextSpan& run) {
    const std::size_t begin = result.decoded.size();
    const std::string_view letters = text.substr(run.begin, run.size());
    DecodeRun(letters, phase, result.decoded);
    const bool is_text = IsText(result.decoded.text().substr(begin));
    result.decoded.Append('\n');
    result.decoded.EndSpan(begin, run);
    if (is_text || HasLineBreak(letters)) result.whole.push_back(begin);
    return is_text;
  });
  return result;
}

TextSpan Base64Source(std::string_view text, const DecodedRuns& runs, TextSpan span) {
  const TextSpan run = runs.decoded.Source(span), bytes = runs.decoded.PieceAt(span.begin);
  if (span.end > bytes.end || std::ranges::binary_search(runs.whole, bytes.begin)) return run;
  const std::string_view letters = text.substr(run.begin, run.size());
  const std::size_t first = runs.phase + (span.begin - bytes.begin) * 4 / 3;
  const std::size_t end = runs.phase + ((span.end - bytes.begin) * 4 + 2) / 3;
  return {run.begin + BeginOfPart(letters, runs.phase, first), run.begin + EndOfPart(letters, end)};
}

}  // namespace turnlog
