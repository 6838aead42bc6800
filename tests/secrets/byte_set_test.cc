#include "sanitize/secrets/byte_set.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "sanitize/secrets/byte_sets.h"

namespace turnlog::byte_set_test {
namespace {

constexpr std::string_view kSets[] = {"a", "\\%&", std::string_view("\0\xff", 2), "\n\r\x1b\xc2\xe2\xef",
                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"};

TEST(ByteSet, HasItsBytesAlone) {
  for (const std::string_view bytes : kSets) {
    const ByteSet set(bytes);
    for (int byte = 0; byte < 256; ++byte)
      EXPECT_EQ(set.Has(static_cast<char>(byte)), bytes.contains(static_cast<char>(byte))) << bytes << ' ' << byte;
  }
}

// Against one byte at a time, at every position, with texts that end within 64 bytes and others.
TEST(ByteSet, FindsWhatIsThere) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const std::string_view bytes = kSets[random() % std::size(kSets)];
    std::string text;
    const std::size_t size = random() % 4 == 0 ? 2000 + random() % 300 : random() % 200;
    while (text.size() < size) text += random() % 3 == 0 ? bytes[random() % bytes.size()] : static_cast<char>(random());
    for (const Vectors most : {Vectors::kNone, Vectors::kAvx2, Vectors::kAvx512}) {
      const ByteSet set(bytes, most);
      ByteSearch search(set, text);
      std::size_t next = text.size(), other = text.size();
      for (std::size_t at = text.size(); at-- > 0;) {
        (bytes.contains(text[at]) ? next : other) = at;
        ASSERT_EQ(search.Next(at), next) << at;
        ASSERT_EQ(search.NextOther(at), other) << at;
        std::uint64_t mask = 0;
        for (std::size_t i = 0; i < 64 && at + i < text.size(); ++i)
          mask |= std::uint64_t{bytes.contains(text[at + i])} << i;
        ASSERT_EQ(search.MaskAt(at), mask) << at;
        std::uint64_t masks[2];
        set.Find(text, at, masks);
        ASSERT_EQ(masks[0], mask) << at;
      }
      EXPECT_EQ(search.Next(text.size()), text.size());
    }
  }
}

TEST(ByteSets, FindTheSameAsEachSet) {
  const std::array<std::string_view, 6> sets{kSets[0],     kSets[1],   std::string_view("\0\n\x1b", 3),
                                             "0123456789", "{|}~\x7f", kSets[4]};
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    std::string text;
    const std::size_t size = random() % 300;
    while (text.size() < size) text += random() % 3 == 0 ? kSets[4][random() % 64] : static_cast<char>(random());
    const std::size_t at = random() % (text.size() + 1);
    for (const Vectors most : {Vectors::kNone, Vectors::kAvx2, Vectors::kAvx512}) {
      std::array<std::array<std::uint64_t, 6>, sets.size()> found;
      ByteSets<sets.size()>(sets, most).Find(text, at, {found[0], found[1], found[2], found[3], found[4], found[5]});
      for (std::size_t set = 0; set < sets.size(); ++set) {
        std::array<std::uint64_t, 6> expected;
        ByteSet(sets[set]).Find(text, at, expected);
        EXPECT_EQ(found[set], expected) << set << ' ' << at;
      }
    }
  }
}

}  // namespace
}  // namespace turnlog::byte_set_test
