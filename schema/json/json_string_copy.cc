#include "schema/json/json_string_copy.h"

#include <algorithm>
#include <cstdint>

#include "base/utf8.h"
#include "schema/json/json_letters.h"
#include "schema/json/json_scan.h"
#include "schema/json/unescaped_letters.h"

namespace turnlog {
namespace {

class StringCopy {
 public:
  StringCopy(std::string_view text, std::size_t at, char* to) : text_(text), at_(at), begin_(to), to_(to) {}

  bool has(std::size_t letters) const { return !done_ && at_ + letters <= text_.size(); }
  const char* letters() const { return text_.data() + at_; }
  char* to() const { return to_; }

  // Takes kCount letters that have been copied to `to()`; `special`: a bit for each that is a quote, a backslash or a
  // control character.
  template <std::size_t kCount>
  [[gnu::always_inline]] void Take(std::uint64_t special) {
    TakeCopiedLetters<kCount>(text_, at_, to_, special, [this] { return Special(); });
  }

  std::size_t left() const { return done_ ? 0 : text_.size() - at_; }
  // Takes `count` letters, of which `some` are written already.
  [[gnu::always_inline]] void Take(const UnescapedLetters& some, std::size_t count) {
    at_ += some.taken;
    to_ += some.written;
    if (some.taken < count) Special();
  }

  // The rest, letter by letter.
  std::optional<JsonStringCopy> Finish() {
    while (has(1)) {
      if (IsJsonSpecial(text_[at_])) {
        if (!Special()) break;
      } else {
        *to_++ = text_[at_++];
      }
    }
    if (!ended_) return std::nullopt;
    return JsonStringCopy{{begin_, to_}, at_};
  }

 private:
  // Takes the special letter that is next, and what belongs to it. False: that is the end, or a fault.
  bool Special() {
    const char c = text_[at_];
    if (c == '\\') return Escape();
    done_ = true;
    ended_ = c == '"';
    at_ += ended_ ? 1 : 0;
    return false;
  }

  bool Escape() {
    const char name = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (const char meaning = JsonEscapeMeaning(name)) {
      *to_++ = meaning;
      at_ += 2;
      return true;
    }
    const auto escape = name == 'u' ? ReadUnicodeEscape(text_, at_) : std::nullopt;
    done_ = !escape;
    if (!escape) return false;
    EncodeUtf8(escape->code, [this](char byte) { *to_++ = byte; });
    at_ += escape->length;
    return true;
  }

  const std::string_view text_;
  std::size_t at_;
  char* const begin_;
  char* to_;
  bool done_ = false, ended_ = false;  // ended: at its quote
};

void CopyInSteps(StringCopy& copy) {
  constexpr std::size_t kCount = JsonLetters::kCount;
  while (copy.has(kCount)) {
    const JsonLetters letters(copy.letters());
    letters.Store(copy.to());
    copy.Take<kCount>(letters.Special());
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void CopyWithAvx2(StringCopy& copy) {
  constexpr std::size_t kCount = 64;
  while (copy.has(kCount)) {
    std::uint64_t special = 0;
    for (std::size_t at = 0; at < kCount; at += 32) {
      const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(copy.letters() + at));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(copy.to() + at), all);
      const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(all, _mm256_set1_epi8(0x1f)), all);
      const __m256i quote = _mm256_cmpeq_epi8(all, _mm256_set1_epi8('"'));
      const __m256i backslash = _mm256_cmpeq_epi8(all, _mm256_set1_epi8('\\'));
      const __m256i any = _mm256_or_si256(_mm256_or_si256(control, quote), backslash);
      special |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(any))} << at;
    }
    copy.Take<kCount>(special);
  }
}

[[gnu::target("avx512bw,avx512vbmi,avx512vbmi2")]] void CopyWithAvx512(StringCopy& copy) {
  while (const std::size_t left = copy.left()) {
    const std::size_t count = std::min<std::size_t>(left, 64);
    copy.Take(Unescape64(copy.letters(), count, copy.to()), count);
  }
}
#endif

}  // namespace

std::optional<JsonStringCopy> CopyJsonString(std::string_view text, std::size_t begin, char* to, Vectors most) {
  StringCopy copy(text, begin + 1, to);
#if defined(__x86_64__)
  const Vectors vectors = SupportedVectors(most);
  if (vectors == Vectors::kAvx512) CopyWithAvx512(copy);
  if (vectors == Vectors::kAvx2) CopyWithAvx2(copy);
#endif
  CopyInSteps(copy);
  return copy.Finish();
}

}  // namespace turnlog
