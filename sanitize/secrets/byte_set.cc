#include "sanitize/secrets/byte_set.h"

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace turnlog {

ByteSet::ByteSet(std::string_view bytes, Vectors most) : vectors_(SupportedVectors(most)) {
  std::array<std::uint16_t, 16> low_halves{};  // for each high half
  for (const char byte : bytes) low_halves[High(byte)] |= static_cast<std::uint16_t>(1U << Low(byte));
  unsigned sets = 0;
  for (std::size_t high = 0; high < low_halves.size(); ++high) {
    if (low_halves[high] == 0) continue;
    const auto first = static_cast<std::size_t>(std::ranges::find(low_halves, low_halves[high]) - low_halves.begin());
    high_[high] = first < high ? high_[first] : static_cast<std::uint8_t>(1U << sets++);
    for (std::size_t low = 0; low < low_.size(); ++low) {
      if ((low_halves[high] >> low & 1) != 0) low_[low] |= high_[high];
    }
  }
}

std::uint64_t ByteSet::MaskOf(const char* at) const {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < 64; ++i) mask |= std::uint64_t{Has(at[i])} << i;
  return mask;
}

#if defined(__x86_64__)
__attribute__((target("avx2"), always_inline)) inline std::uint64_t ByteSet::MaskWithAvx2(const char* at) const {
  const __m256i low_half = _mm256_set1_epi8(15);
  const __m256i low = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(low_.data())));
  const __m256i high = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(high_.data())));
  std::uint64_t others = 0;
  for (unsigned half = 0; half < 2; ++half) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32 * half));
    const __m256i lows = _mm256_shuffle_epi8(low, _mm256_and_si256(bytes, low_half));
    const __m256i highs = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low_half));
    const __m256i none = _mm256_cmpeq_epi8(_mm256_and_si256(lows, highs), _mm256_setzero_si256());
    others |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(none))} << (32 * half);
  }
  return ~others;
}

__attribute__((target("avx2"))) void ByteSet::FindWithAvx2(const char* at, std::span<std::uint64_t> masks) const {
  for (std::uint64_t& mask : masks) {
    mask = MaskWithAvx2(at);
    at += 64;
  }
}

__attribute__((target("avx512bw"))) void ByteSet::FindWithAvx512(const char* at, std::span<std::uint64_t> masks) const {
  const auto table = [&](const std::array<std::uint8_t, 16>& bytes) __attribute__((target("avx512bw"), always_inline)) {
    return _mm512_maskz_broadcast_i32x4(0xffff, _mm_load_si128(reinterpret_cast<const __m128i*>(bytes.data())));
  };
  const __m512i low = table(low_), high = table(high_), low_half = _mm512_set1_epi8(15);
  for (std::uint64_t& mask : masks) {
    const __m512i bytes = _mm512_loadu_si512(at);
    const __m512i lows = _mm512_shuffle_epi8(low, _mm512_and_si512(bytes, low_half));
    const __m512i highs = _mm512_shuffle_epi8(high, _mm512_and_si512(_mm512_srli_epi16(bytes, 4), low_half));
    mask = _mm512_test_epi8_mask(lows, highs);
    at += 64;
  }
}
#else
void ByteSet::FindWithAvx2(const char*, std::span<std::uint64_t>) const {}
void ByteSet::FindWithAvx512(const char*, std::span<std::uint64_t>) const {}
#endif

// REQUIRES: 64 bytes for each mask.
void ByteSet::FindWhole(const char* at, std::span<std::uint64_t> masks) const {
  switch (vectors_) {
    case Vectors::kNone:
      for (std::size_t i = 0; i < masks.size(); ++i) masks[i] = MaskOf(at + 64 * i);
      return;
    case Vectors::kAvx2:
      return FindWithAvx2(at, masks);
    case Vectors::kAvx512:
      return FindWithAvx512(at, masks);
  }
}

void ByteSet::Find(std::string_view text, std::size_t at, std::span<std::uint64_t> masks) const {
  const std::string_view left = text.substr(std::min(text.size(), at));
  const std::size_t whole = std::min(left.size() / kWord, masks.size()), rest = left.size() % kWord;
  FindWhole(left.data(), masks.first(whole));
  std::ranges::fill(masks.subspan(whole), 0);
  if (whole == masks.size() || rest == 0) return;
  const std::span<std::uint64_t> last = masks.subspan(whole, 1);
  if (text.size() < kWord) return FindInWord(left, last);
  FindWhole(text.data() + text.size() - kWord, last);  // it begins earlier
  last[0] >>= kWord - rest;
}

// REQUIRES: fewer bytes than a word.
void ByteSet::FindInWord(std::string_view text, std::span<std::uint64_t> mask) const {
  std::array<char, kWord> word{};
  std::memcpy(word.data(), text.data(), text.size());
  FindWhole(word.data(), mask);
  ::explicit_bzero(word.data(), text.size());  // it may have been a secret
  mask[0] &= (std::uint64_t{1} << text.size()) - 1;
}

}  // namespace turnlog
