// The letters of JSON strings, several at a time. Most texts are long, and escapes in them are some words apart.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace turnlog {

// What a string cannot have as it is.
inline bool IsJsonSpecial(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

// How a quote, backslash or control character is written after a backslash; 0: by its number.
inline char JsonEscapeName(char c) {
  static constexpr std::array<char, 256> kNames = [] {
    std::array<char, 256> names{};
    names['\b'] = 'b', names['\f'] = 'f', names['\n'] = 'n', names['\r'] = 'r', names['\t'] = 't';
    names['"'] = '"', names['\\'] = '\\';
    return names;
  }();
  return kNames[static_cast<unsigned char>(c)];
}

// What the letter after a backslash stands for, by letter; 0: it is not one of the simple escapes.
inline constexpr std::array<char, 256> kJsonEscapeMeanings = [] {
  std::array<char, 256> meanings{};
  meanings['b'] = '\b', meanings['f'] = '\f', meanings['n'] = '\n', meanings['r'] = '\r', meanings['t'] = '\t';
  meanings['"'] = '"', meanings['\\'] = '\\', meanings['/'] = '/';
  return meanings;
}();
inline char JsonEscapeMeaning(char name) { return kJsonEscapeMeanings[static_cast<unsigned char>(name)]; }

// Some letters at once.
struct JsonLetters {
#if defined(__SSE2__)
  static constexpr std::size_t kCount = 16;
  explicit JsonLetters(const char* text) : all(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text))) {}

  // Below, a bit for each letter.
  std::uint32_t Controls() const { return Bits(_mm_cmpeq_epi8(_mm_min_epu8(all, _mm_set1_epi8(0x1f)), all)); }
  std::uint32_t Special() const {
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(all, _mm_set1_epi8(0x1f)), all);
    const __m128i quote = _mm_or_si128(control, _mm_cmpeq_epi8(all, _mm_set1_epi8('"')));
    return Bits(_mm_or_si128(quote, _mm_cmpeq_epi8(all, _mm_set1_epi8('\\'))));
  }
  std::uint32_t Like(char c) const { return Bits(_mm_cmpeq_epi8(all, _mm_set1_epi8(c))); }
  std::uint32_t Unlike(const JsonLetters& other) const { return Bits(_mm_cmpeq_epi8(all, other.all)) ^ 0xffff; }
  void Store(char* to) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), all); }

  static std::uint32_t Bits(__m128i bytes) { return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)); }

  __m128i all;
#else
  static constexpr std::size_t kCount = 8;
  explicit JsonLetters(const char* text) { std::memcpy(all.data(), text, kCount); }

  template <class Predicate>
  std::uint32_t Where(Predicate&& holds) const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kCount; ++i) bits |= static_cast<std::uint32_t>(holds(i)) << i;
    return bits;
  }
  std::uint32_t Controls() const {
    return Where([&](std::size_t i) { return static_cast<unsigned char>(all[i]) < 0x20; });
  }
  std::uint32_t Special() const {
    return Where([&](std::size_t i) { return IsJsonSpecial(all[i]); });
  }
  std::uint32_t Like(char c) const {
    return Where([&](std::size_t i) { return all[i] == c; });
  }
  std::uint32_t Unlike(const JsonLetters& other) const {
    return Where([&](std::size_t i) { return all[i] != other.all[i]; });
  }
  void Store(char* to) const { std::memcpy(to, all.data(), kCount); }

  std::array<char, kCount> all;
#endif
};

// Where the first special letter is, if it is among the few letters from `at` on: most strings are names and ids.
inline std::size_t SkipPlainJsonLetters(std::string_view text, std::size_t at) {
  constexpr std::size_t kFew = 64;
  for (const std::size_t end = at + kFew; at < end && at + JsonLetters::kCount <= text.size();) {
    const std::uint32_t special = JsonLetters(text.data() + at).Special();
    at += static_cast<std::size_t>(std::countr_zero(special | 1U << JsonLetters::kCount));
    if (special != 0) break;
  }
  return at;
}

// Takes the kCount letters at text[at], which have been copied to `to`; `special` has a bit for each where `on_special`
// is called. That moves `at` and `to` past what begins there, and returns whether to go on. Ends after these letters,
// or before those at the end of the text, which are less than kCount.
template <std::size_t kCount, class OnSpecial>
[[gnu::always_inline]] inline void TakeCopiedLetters(std::string_view text, std::size_t& at, char*& to,
                                                     std::uint64_t special, OnSpecial&& on_special) {
  const std::size_t begin = at;
  for (std::size_t taken = 0;;) {
    const auto plain = special == 0 ? kCount : static_cast<std::size_t>(std::countr_zero(special));
    to += plain - taken;
    at = begin + plain;
    if (plain == kCount || !on_special()) return;
    taken = at - begin;
    if (taken >= kCount || at + kCount > text.size()) return;
    special &= ~std::uint64_t{0} << taken;
    std::memcpy(to, text.data() + at, kCount);
  }
}

}  // namespace turnlog
