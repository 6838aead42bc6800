// The memory of the program follows neither the size of a source nor that of the store.
#include <fmt/format.h>

#include <cstdint>
#include <fstream>

#include "tests/logctl/logctl_test.h"
#include "tests/support/sanitized.h"

namespace turnlog::memory_test {
namespace {

class MemoryTest : public LogctlTest {
 protected:
  // Runs the program. Returns its largest memory in MiB.
  std::uint64_t PeakOf(const Strings& words, const std::string& input = {}) {
    const Ran ran = Logctl(words, input);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.peak_kib >> 10;
  }

  std::string WriteLines(int lines, const auto& line) {
    const std::string path = (folder_ / "lines.jsonl").string();
    std::ofstream file(path, std::ios::binary);
    for (int i = 0; i < lines; ++i) file << line(i);
    return path;
  }
};

TEST_F(MemoryTest, OfAnImportIsThatOfAPartOfALongConversation) {
  if (kSanitized) GTEST_SKIP() << "sanitizers keep what is freed";
  constexpr int kMiB = 256;
  const std::string text((std::size_t{1} << 18) - 100, 'x');
  const auto line = [&](int i) {
    return fmt::format(R"({{"conversation":"long","type":"chat_request","content":"{} {}"}})"
                       "\n",
                       i, text);
  };
  EXPECT_LT(PeakOf({"import", "jsonl", WriteLines(4 * kMiB, line)}), 192U);
  EXPECT_EQ(Json({"stats"})["events"].Number(), 4U * kMiB);
}

TEST_F(MemoryTest, OfAWriterIsBoundedWhateverItCreates) {
  if (kSanitized) GTEST_SKIP() << "sanitizers keep what is freed";
  constexpr int kConversations = 200'000;
  const auto line = [](int i) {
    return fmt::format(R"({{"conversation":"conversation {}","type":"chat_request","content":"Hi"}})"
                       "\n",
                       i);
  };
  EXPECT_LT(PeakOf({"import", "jsonl", WriteLines(kConversations, line)}), 192U);
  EXPECT_LT(PeakOf({"ls", "--ids", "--limit", "10"}), 64U);
  EXPECT_LT(PeakOf({"scavenge"}), 64U);
}

TEST_F(MemoryTest, OfOneLargeEventIsAFewTimesTheEvent) {
  if (kSanitized) GTEST_SKIP() << "sanitizers keep what is freed";
  constexpr std::uint64_t kMiB = 64, kProgram = 32;
  std::string event = R"({"type":"chat_request","content":")";
  while (event.size() < kMiB << 20) event.append(R"(a line of sixty letters and one escape, as a file has them\n)");
  event.append("\"}\n");
  EXPECT_LT(PeakOf({"append", "c"}, event), 2 * kMiB + kProgram);
  EXPECT_LT(PeakOf({"cat", "c"}), 2 * kMiB + kProgram);
  const auto line = [&](int) { return event; };
  EXPECT_LT(PeakOf({"import", "jsonl", "--detect", "none", WriteLines(1, line)}), 4 * kMiB + 2 * kProgram);
  EXPECT_EQ(Logctl({"cat", "c"}).out.size(), event.size() + std::string_view(R"("conversation":"c","seq":1,)").size());
}

}  // namespace
}  // namespace turnlog::memory_test
