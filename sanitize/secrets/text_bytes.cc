#include "sanitize/secrets/text_bytes.h"

#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace turnlog {
namespace {

constexpr unsigned char kDelete = 0x7f, kOverlong = 0xc0, kLastOverlong = 0xc1, kBeyondUnicode = 0xf5;

bool IsSpaceControl(char byte) { return byte == '\t' || byte == '\n' || byte == '\r'; }
bool IsPlainAscii(char byte) { return (byte >= ' ' && byte <= '~') || IsSpaceControl(byte); }
bool IsNonText(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return (byte < ' ' && !IsSpaceControl(letter)) || byte == kDelete || byte == kOverlong || byte == kLastOverlong ||
         byte >= kBeyondUnicode;
}

#if defined(__SSE2__)
constexpr std::size_t kBlock = 16;

class Block {
 public:
  explicit Block(const char* at) : bytes_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))) {}

  std::uint32_t plain_ascii() const {
    const __m128i printable = _mm_andnot_si128(Is(kDelete), _mm_cmpgt_epi8(bytes_, _mm_set1_epi8(' ' - 1)));
    return Mask(_mm_or_si128(printable, SpaceControls()));
  }
  std::uint32_t non_text() const {
    const __m128i last_control = _mm_set1_epi8(' ' - 1), beyond = _mm_set1_epi8(static_cast<char>(kBeyondUnicode));
    const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes_, last_control), bytes_);
    const __m128i begin_none = _mm_or_si128(_mm_or_si128(Is(kDelete), Is(kOverlong)), Is(kLastOverlong));
    const __m128i late = _mm_cmpeq_epi8(_mm_max_epu8(bytes_, beyond), bytes_);
    return Mask(_mm_or_si128(_mm_or_si128(_mm_andnot_si128(SpaceControls(), controls), begin_none), late));
  }

 private:
  __m128i Is(unsigned char byte) const { return _mm_cmpeq_epi8(bytes_, _mm_set1_epi8(static_cast<char>(byte))); }
  __m128i SpaceControls() const { return _mm_or_si128(_mm_or_si128(Is('\t'), Is('\n')), Is('\r')); }
  static std::uint32_t Mask(__m128i bytes) { return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)); }

  __m128i bytes_;
};
#endif

}  // namespace

std::size_t SkipPlainAscii(std::string_view text, std::size_t at) {
#if defined(__SSE2__)
  for (; at + kBlock <= text.size(); at += kBlock) {
    const std::uint32_t others = ~Block(text.data() + at).plain_ascii() & 0xffffU;
    if (others != 0) return at + static_cast<std::size_t>(std::countr_zero(others));
  }
#endif
  while (at < text.size() && IsPlainAscii(text[at])) ++at;
  return at;
}

std::size_t SkipLastNonText(std::string_view text, std::size_t at, std::size_t count) {
  std::size_t end = at + count;
#if defined(__SSE2__)
  for (; end - at >= kBlock; end -= kBlock) {
    const std::uint32_t found = Block(text.data() + end - kBlock).non_text();
    if (found != 0) return end - kBlock + static_cast<std::size_t>(std::bit_width(found));
  }
  if (at < end && at + kBlock <= text.size()) {
    const std::uint32_t found = Block(text.data() + at).non_text() & ((1U << (end - at)) - 1);
    return at + static_cast<std::size_t>(std::bit_width(found));
  }
#endif
  while (end > at && !IsNonText(text[end - 1])) --end;
  return end;
}

}  // namespace turnlog
