#include "sanitize/secrets/letter_rows.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace turnlog::letter_rows_test {
namespace {

// Against one letter at a time, from every position, backwards as well.
TEST(LetterRows, BeginWhereSoManyLettersFollowEachOther) {
  const ByteSet letters("ab");
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = round % 3 == 0 ? 1 + random() % LetterRows::kMost : 1 + random() % 20;
    const std::size_t size = random() % 4 == 0 ? 4000 + random() % 300 : random() % 300;
    std::string text;
    while (text.size() < size) text.append(random() % (3 * count), random() % 2 == 0 ? 'a' : 'b').append(1, '.');
    std::vector<std::size_t> next(text.size() + 1, text.size());
    for (std::size_t at = text.size(), row = 0; at-- > 0;) {
      row = text[at] == '.' ? 0 : row + 1;
      next[at] = row >= count ? at : next[at + 1];
    }
    for (const Vectors most : {Vectors::kNone, Vectors::kAvx2, Vectors::kAvx512}) {
      LetterRows rows(letters, count, text, most);
      for (std::size_t at = 0; at <= text.size(); ++at) ASSERT_EQ(rows.Next(at), next[at]) << at;
      for (std::size_t at = text.size(); at-- > 0;) ASSERT_EQ(rows.Next(at), next[at]) << at;
      for (int i = 0; i < 50; ++i) {
        const std::size_t at = random() % (text.size() + 1);
        ASSERT_EQ(rows.Next(at), next[at]) << at;
      }
    }
  }
}

}  // namespace
}  // namespace turnlog::letter_rows_test
