// What up to 64 letters of a JSON string stand for, however many simple escapes are among them; with AVX-512.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "schema/json/json_letter_masks.h"
#include "schema/json/json_letters.h"

namespace turnlog {

struct UnescapedLetters {
  std::size_t taken = 0, written = 0;
};

#if defined(__x86_64__)
// Of ASCII letters. No writer escapes '/', which readers have to note.
inline constexpr auto kUsualEscapeMeanings = [] {
  struct {
    alignas(64) std::array<char, 128> letters;
  } usual{};
  std::copy_n(kJsonEscapeMeanings.begin(), usual.letters.size(), usual.letters.begin());
  usual.letters['/'] = 0;
  return usual;
}();

// Writes what `count` letters stand for to `to`, which has room for as many. Ends before the first that needs a closer
// look: a quote, a control character, or a backslash that is the last letter or begins an unusual escape.
// REQUIRES: 1 to 64 letters, of which the first is not escaped.
[[gnu::target("avx512bw,avx512vbmi,avx512vbmi2"), gnu::always_inline]] inline UnescapedLetters Unescape64(
    const char* text, std::size_t count, char* to) {
  const __mmask64 valid = ~std::uint64_t{0} >> (64 - count);
  const __m512i all = _mm512_maskz_loadu_epi8(valid, text);
  const std::uint64_t backslashes = _mm512_cmpeq_epi8_mask(all, _mm512_set1_epi8('\\'));
  const std::uint64_t ends = _mm512_cmpeq_epi8_mask(all, _mm512_set1_epi8('"')) |
                             _mm512_mask_cmplt_epu8_mask(valid, all, _mm512_set1_epi8(0x20));
  if (backslashes == 0) {
    _mm512_mask_storeu_epi8(to, valid, all);
    const std::size_t plain = ends == 0 ? count : static_cast<std::size_t>(std::countr_zero(ends));
    return {plain, plain};
  }
  std::uint64_t none_before = 0;
  const std::uint64_t escaped = FindEscaped(backslashes, none_before);
  const __m512i meanings = _mm512_permutex2var_epi8(_mm512_load_si512(kUsualEscapeMeanings.letters.data()), all,
                                                    _mm512_load_si512(kUsualEscapeMeanings.letters.data() + 64));
  const std::uint64_t usual =
      _mm512_mask_test_epi8_mask(escaped & ~_mm512_movepi8_mask(all), meanings, meanings);  // the others are not ASCII
  const std::uint64_t begins = backslashes & ~escaped;
  const std::uint64_t closer = (begins & ~(usual >> 1)) | (ends & ~escaped);
  const std::uint64_t taken = closer == 0 ? valid : (closer & -closer) - 1;
  const std::uint64_t kept = taken & ~begins;
  const __m512i written = _mm512_maskz_compress_epi8(kept, _mm512_mask_mov_epi8(all, usual, meanings));
  _mm512_mask_storeu_epi8(to, valid, written);
  return {static_cast<std::size_t>(std::popcount(taken)), static_cast<std::size_t>(std::popcount(kept))};
}
#endif

}  // namespace turnlog
