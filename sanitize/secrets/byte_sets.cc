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
  for (std::size_t set = 0; set < kSets; ++set) sets_[set].Find(text, at, masks[set]);
}

template class ByteSets<3>;
template class ByteSets<4>;
template class ByteSets<6>;

}  // namespace turnlog
