#include "base/secret_string.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace {

bool watching = false;
std::vector<std::string> given_back;  // the contents of memory when it was freed

}  // namespace

void* operator new(std::size_t size) {
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t size) noexcept {
  if (std::exchange(watching, false)) {
    given_back.emplace_back(static_cast<const char*>(memory), size);
    watching = true;
  }
  std::free(memory);  // NOLINT(clang-analyzer-cplusplus.NewDelete): this is what frees it
}

namespace turnlog::secret_string_test {
namespace {

TEST(SecretString, HoldsAText) {
  SecretString text("abc");
  text.Append("def");
  text.Append('g');
  EXPECT_EQ(text.view(), "abcdefg");
  EXPECT_EQ(text.size(), 7U);
  EXPECT_EQ(text, SecretString("abcdefg"));
  EXPECT_FALSE(text == SecretString("abc"));
  text.Clear();
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text.Resize(2).size(), 2U);
  EXPECT_EQ(text.view(), std::string_view("\0\0", 2));
}

TEST(SecretString, MemoryIsWipedBeforeItIsGivenBack) {
  for (const std::size_t size : {std::size_t{5}, std::size_t{1000}}) {
    given_back.clear();
    watching = true;
    {
      SecretString text(std::string_view("secret!"));
      while (text.size() < size) text.Append("secret!");  // moves to larger memory on the way
      SecretString other = std::move(text);
      text = SecretString("another secret!");
    }
    watching = false;
    EXPECT_GE(given_back.size(), 2U);
    for (const std::string& memory : given_back) EXPECT_EQ(memory, std::string(memory.size(), '\0'));
  }
}

TEST(SecretString, WipesOrdinaryStrings) {
  std::string text = "a text that is too long to be kept within the string";
  const std::size_t size = text.size();
  Wipe(text);
  EXPECT_TRUE(text.empty());
  const char* const memory = text.data();
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(memory[i], 0) << i;
}

}  // namespace
}  // namespace turnlog::secret_string_test
