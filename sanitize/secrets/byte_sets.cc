#include "sanitize/secrets/byte_sets.h"

#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace turnlog {
namespace {

template <std::size_t... kSet>
std::array<ByteSet, sizeof...(kSet)> SetsOf(const std::array<std::string_view, sizeof...(kSet)>& sets, Vectors most,
                                            std::index_sequence<kSet...>) {
  return {ByteSet(sets[kSet], most)...};
}

#if defined(__x86_64__)
// The sets of 32 letters, by a table for each value of a letter's upper four bits: three of these choose one of eight,
// and what has the fourth, and is not ASCII, is in no set.
__attribute__((target("avx2"), always_inline)) inline __m256i SetsOfLetters(const __m256i (&tables)[8],
                                                                            __m256i letters) {
  const __m256i bit4 = _mm256_slli_epi16(letters, 3), bit5 = _mm256_slli_epi16(letters, 2);
  const __m256i bit6 = _mm256_slli_epi16(letters, 1);
  const auto two = [&](int table) __attribute__((target("avx2"), always_inline)) {
    return _mm256_blendv_epi8(_mm256_shuffle_epi8(tables[table], letters),
                              _mm256_shuffle_epi8(tables[table + 1], letters), bit4);
  };
  const __m256i lower = _mm256_blendv_epi8(two(0), two(2), bit5), upper = _mm256_blendv_epi8(two(4), two(6), bit5);
  return _mm256_blendv_epi8(lower, upper, bit6);
}

template <int kSet>
__attribute__((target("avx2"), always_inline)) inline std::uint64_t HaveSet(__m256i first, __m256i second) {
  const int low = _mm256_movemask_epi8(_mm256_slli_epi16(first, 7 - kSet));
  const int high = _mm256_movemask_epi8(_mm256_slli_epi16(second, 7 - kSet));
  return std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low);
}

// REQUIRES: 64 letters for each word.
template <std::size_t kSets>
__attribute__((target("avx2"))) void FindWithAvx2(const std::uint8_t* sets_of, const char* letters, std::size_t words,
                                                  const std::array<std::span<std::uint64_t>, kSets>& masks) {
  __m256i tables[8];
  for (int table = 0; table < 8; ++table) {
    const auto* const sixteen = reinterpret_cast<const __m128i*>(sets_of + 16 * table);
    tables[table] = _mm256_broadcastsi128_si256(_mm_load_si128(sixteen));
  }
  for (std::size_t word = 0; word < words; ++word, letters += 64) {
    const auto* const from = reinterpret_cast<const __m256i*>(letters);
    const __m256i first = SetsOfLetters(tables, _mm256_loadu_si256(from));
    const __m256i second = SetsOfLetters(tables, _mm256_loadu_si256(from + 1));
    [&]<int... kSet>(std::integer_sequence<int, kSet...>) __attribute__((target("avx2"), always_inline)) {
      ((masks[kSet][word] = HaveSet<kSet>(first, second)), ...);
    }(std::make_integer_sequence<int, kSets>());
  }
}

template <std::size_t kSets>
__attribute__((target("avx512bw,avx512vbmi"))) void FindWithAvx512(
    const std::uint8_t* sets_of, std::string_view text, std::size_t at,
    const std::array<std::span<std::uint64_t>, kSets>& masks) {
  const __m512i first = _mm512_load_si512(sets_of), second = _mm512_load_si512(sets_of + 64);
  for (std::size_t word = 0; word < masks[0].size(); ++word, at += 64) {
    const std::size_t left = text.size() - std::min(text.size(), at);
    const __mmask64 valid = left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
    const __m512i letters = _mm512_maskz_loadu_epi8(valid, text.data() + at);
    const __mmask64 ascii = valid & ~_mm512_movepi8_mask(letters);
    const __m512i sets = _mm512_maskz_permutex2var_epi8(ascii, first, letters, second);
    [&]<std::size_t... kSet>(std::index_sequence<kSet...>) __attribute__((target("avx512bw"), always_inline)) {
      ((masks[kSet][word] = _mm512_test_epi8_mask(sets, _mm512_set1_epi8(static_cast<char>(1U << kSet)))), ...);
    }(std::make_index_sequence<kSets>());
  }
}
#else
template <std::size_t kSets>
void FindWithAvx2(const std::uint8_t*, const char*, std::size_t, const std::array<std::span<std::uint64_t>, kSets>&) {}
template <std::size_t kSets>
void FindWithAvx512(const std::uint8_t*, std::string_view, std::size_t,
                    const std::array<std::span<std::uint64_t>, kSets>&) {}
#endif

}  // namespace

template <std::size_t kSets>
ByteSets<kSets>::ByteSets(const std::array<std::string_view, kSets>& sets, Vectors most)
    : sets_(SetsOf(sets, most, std::make_index_sequence<kSets>())), vectors_(SupportedVectors(most)) {
  for (std::size_t set = 0; set < kSets; ++set) {
    for (const char letter : sets[set])
      sets_of_[static_cast<unsigned char>(letter)] |= static_cast<std::uint8_t>(1U << set);
  }
}

template <std::size_t kSets>
void ByteSets<kSets>::Find(std::string_view text, std::size_t at, const Masks& masks) const {
  if (vectors_ == Vectors::kAvx512) return FindWithAvx512<kSets>(sets_of_.data(), text, at, masks);
  if (vectors_ == Vectors::kAvx2 && text.size() >= kWord) return FindInWords(text, at, masks);
  for (std::size_t set = 0; set < kSets; ++set) sets_[set].Find(text, at, masks[set]);
}

// The last letters are those of the text's last whole word, which may begin before `at`.
template <std::size_t kSets>
void ByteSets<kSets>::FindInWords(std::string_view text, std::size_t at, const Masks& masks) const {
  const std::string_view left = text.substr(std::min(text.size(), at));
  const std::size_t whole = std::min(left.size() / kWord, masks[0].size()), rest = left.size() % kWord;
  FindWithAvx2<kSets>(sets_of_.data(), left.data(), whole, masks);
  if (whole == masks[0].size()) return;
  Masks others;
  std::ranges::transform(masks, others.begin(), [&](std::span<std::uint64_t> mask) { return mask.subspan(whole); });
  if (rest > 0) FindWithAvx2<kSets>(sets_of_.data(), text.data() + text.size() - kWord, 1, others);
  for (const std::span<std::uint64_t> mask : others) {
    if (rest > 0) mask[0] >>= kWord - rest;
    std::ranges::fill(mask.subspan(rest > 0 ? 1 : 0), 0);
  }
}

template class ByteSets<3>;
template class ByteSets<4>;
template class ByteSets<6>;

}  // namespace turnlog
