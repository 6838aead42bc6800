#include "base/hash.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace turnlog::hash_test {
namespace {

// Stored hashes are the same on all machines.
TEST(Hash, LongTextsHaveTheHashOfXxh3) {
  std::mt19937 random(1);
  std::string bytes(5000, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const std::string_view text = std::string_view(bytes).substr(bytes.size() - size);
    ASSERT_EQ(Hash64(text), XXH3_64bits(text.data(), text.size())) << size;
  }
}

// As `xxhsum -H3` has them.
TEST(Hash, IsThatOfXxhsum) {
  EXPECT_EQ(Hash64(""), 0x2D06800538D394C2U);
  EXPECT_EQ(Hash64(std::string(1000, 'x')), 0xC0A4877B962CBA82U);
}

}  // namespace
}  // namespace turnlog::hash_test
