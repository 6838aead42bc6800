// Which of 64 letters of JSON text are what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "schema/json/json_letters.h"

namespace turnlog {

// A bit for each letter.
struct JsonLetterMasks {
  static constexpr std::size_t kCount = 64;

  std::uint64_t quotes = 0, backslashes = 0, controls = 0;
  std::uint64_t line_breaks = 0;  // the letter of the most frequent escape
};

inline JsonLetterMasks FindJsonLetters(const char* text) {
  JsonLetterMasks masks;
  for (std::size_t at = 0; at < JsonLetterMasks::kCount; at += JsonLetters::kCount) {
    const JsonLetters letters(text + at);
    masks.quotes |= std::uint64_t{letters.Like('"')} << at;
    masks.backslashes |= std::uint64_t{letters.Like('\\')} << at;
    masks.controls |= std::uint64_t{letters.Controls()} << at;
    masks.line_breaks |= std::uint64_t{letters.Like('n')} << at;
  }
  return masks;
}

#if defined(__x86_64__)
[[gnu::target("avx2"), gnu::always_inline]] inline JsonLetterMasks FindJsonLettersWithAvx2(const char* text) {
  JsonLetterMasks masks;
  for (std::size_t at = 0; at < JsonLetterMasks::kCount; at += 32) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + at));
    const __m256i quotes = _mm256_cmpeq_epi8(all, _mm256_set1_epi8('"'));
    const __m256i backslashes = _mm256_cmpeq_epi8(all, _mm256_set1_epi8('\\'));
    const __m256i controls = _mm256_cmpeq_epi8(_mm256_min_epu8(all, _mm256_set1_epi8(0x1f)), all);
    const __m256i line_breaks = _mm256_cmpeq_epi8(all, _mm256_set1_epi8('n'));
    masks.quotes |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(quotes))} << at;
    masks.backslashes |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(backslashes))} << at;
    masks.controls |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(controls))} << at;
    masks.line_breaks |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(line_breaks))} << at;
  }
  return masks;
}

[[gnu::target("avx512bw"), gnu::always_inline]] inline JsonLetterMasks FindJsonLettersWithAvx512(const char* text) {
  const __m512i all = _mm512_loadu_si512(text);
  return {.quotes = _mm512_cmpeq_epi8_mask(all, _mm512_set1_epi8('"')),
          .backslashes = _mm512_cmpeq_epi8_mask(all, _mm512_set1_epi8('\\')),
          .controls = _mm512_cmplt_epu8_mask(all, _mm512_set1_epi8(0x20)),
          .line_breaks = _mm512_cmpeq_epi8_mask(all, _mm512_set1_epi8('n'))};
}
#endif

// The letters after an odd number of backslashes. `first`: whether the first letter is one, and then whether the one
// after the last is.
constexpr std::uint64_t FindEscaped(std::uint64_t backslashes, std::uint64_t& first) {
  constexpr std::uint64_t kOdd = 0xaaaaaaaaaaaaaaaa;
  if (backslashes == 0) return std::exchange(first, 0);
  const std::uint64_t begins = backslashes & ~first;
  const std::uint64_t after = begins << 1;
  // Each run of backslashes ends with a carry, from an odd or from an even place.
  const std::uint64_t ends = ((after | kOdd) - begins) ^ kOdd;
  const std::uint64_t escaped = ends ^ (backslashes | first);
  first = (ends & backslashes) >> 63;
  return escaped;
}

}  // namespace turnlog
