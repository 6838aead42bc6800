#include "sanitize/secrets/letter_rows.h"

#include "sanitize/secrets/byte_sets.h"

namespace turnlog {
namespace {

template <class Word>
[[gnu::always_inline]] inline void KeepRows(PositionBits& bits, std::size_t word, std::size_t count) {
  TwoWords<Word> two(bits, word);
  two.KeepRows(1, count);
  two.Write(bits, word);
}

#if defined(__x86_64__)
[[gnu::target("avx512bw")]] void KeepRowsWithAvx512(PositionBits& bits, std::size_t words, std::size_t count) {
  for (std::size_t word = 0; word < words; word += PositionBits::kStep) KeepRows<EightWords>(bits, word, count);
}
#else
void KeepRowsWithAvx512(PositionBits&, std::size_t, std::size_t) {}
#endif

}  // namespace

LetterRows::LetterRows(const ByteSet& letters, std::size_t count, std::string_view text, Vectors most)
    : letters_(&letters), count_(count), text_(text), vectors_(SupportedVectors(most)) {}

void LetterRows::Fill(std::size_t at) {
  const std::size_t words = WordsFrom(text_, at, PositionBits::kWords);
  begin_ = at;
  end_ = at + 64 * words;
  letters_->Find(text_, at, bits_.First(WordsFrom(text_, at, PositionBits::kWords + 1)));
  if (vectors_ == Vectors::kAvx512) return KeepRowsWithAvx512(bits_, words, count_);
  for (std::size_t word = 0; word < words; ++word) KeepRows<std::uint64_t>(bits_, word, count_);
}

}  // namespace turnlog
