// What a search and a redaction take and leave in memory.
#include "tests/support/memory.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "sanitize/secrets/layers.h"

namespace turnlog::memory_test {
namespace {

// The memory in use while each layer is searched, in bytes more than before.
std::uint64_t MostInUse(std::string_view text) {
  const std::uint64_t before = ResidentKib();
  std::uint64_t most = before;
  ForEachLayer(text, {.min_bytes = 8, .kinds_apart = true, .thorough = true, .without_blanks = true},
               [&](const Layer&) { most = std::max(most, ResidentKib()); });
  return (most - before) << 10;
}

std::string Repeated(std::string_view part, std::size_t size) {
  std::string text;
  while (text.size() < size) text += part;
  return text;
}

TEST(Layers, TakeAFewTimesTheText) {
  if (kSanitized) GTEST_SKIP() << "sanitizers keep what is freed";
  constexpr std::size_t kSize = std::size_t{4} << 20;
  for (const std::string_view part :
       {R"(\)", R"(\n)", "%25", "&#10;", R"(\n%41&amp;\"a)", "word of text ", "A1b2/", "\n ", "\x1b[0m"}) {
    EXPECT_LT(MostInUse(Repeated(part, kSize)), 8 * kSize) << part;
  }
}

}  // namespace
}  // namespace turnlog::memory_test
