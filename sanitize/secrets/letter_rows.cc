#include "sanitize/secrets/letter_rows.h"

#include "sanitize/secrets/byte_sets.h"

namespace turnlog {
namespace {

[[gnu::always_inline]] inline void KeepRows(PositionBits& bits, std::size_t words, std::size_t count) {
  for (std::size_t word = 0; word < words; word += PositionBits::kStep) {
    WordPairs pairs(bits, word);
    pairs.KeepRows(1, count);
    pairs.Write(bits, word);
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void KeepRowsWithAvx2(PositionBits& bits, std::size_t words, std::size_t count) {
  KeepRows(bits, words, count);
}
[[gnu::target("avx512bw")]] void KeepRowsWithAvx512(PositionBits& bits, std::size_t words, std::size_t count) {
  KeepRows(bits, words, count);
}
#else
void KeepRowsWithAvx2(PositionBits&, std::size_t, std::size_t) {}
void KeepRowsWithAvx512(PositionBits&, std::size_t, std::size_t) {}
#endif

void KeepRowsWith(Vectors vectors, PositionBits& bits, std::size_t words, std::size_t count) {
  switch (vectors) {
    case Vectors::kNone:
      return KeepRows(bits, words, count);
    case Vectors::kAvx2:
      return KeepRowsWithAvx2(bits, words, count);
    case Vectors::kAvx512:
      return KeepRowsWithAvx512(bits, words, count);
  }
}

}  // namespace

LetterRows::LetterRows(const ByteSet& letters, std::size_t count, std::string_view text, Vectors most)
    : letters_(&letters), count_(count), text_(text), vectors_(SupportedVectors(most)) {}

void LetterRows::Fill(std::size_t at) {
  const std::size_t words = WordsFrom(text_, at, PositionBits::kWords);
  begin_ = at;
  end_ = at + 64 * words;
  letters_->Find(text_, at, bits_.First(WordsFrom(text_, at, PositionBits::kWords + 1)));
  KeepRowsWith(vectors_, bits_, words, count_);
}

}  // namespace turnlog
