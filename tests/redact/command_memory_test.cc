// The memory of `logctl redact` with the events that take most of it, against the bound of docs/redaction.md.
#include <fmt/format.h>

#include "tests/logctl/logctl_test.h"
#include "tests/support/sanitized.h"

namespace turnlog::command_memory_test {
namespace {

// An event of 20 MB: each of its backslashes may begin an escape, and each decoded text has as many levels of them.
constexpr std::size_t kEvent = 20'000'000;
constexpr std::uint64_t kMostKib = (64U << 10) + 13 * kEvent / 1024;

class RedactMemoryTest : public LogctlTest {
 protected:
  void ExpectBounded(const std::string& event) {
    if (kSanitized) GTEST_SKIP() << "sanitizers keep what is freed";
    Append("talk", event + "\n" + R"({"type":"chat_request","content":"the plain )" + value_ + "\"}\n");
    const Ran ran = Logctl({"redact", "--values-stdin", "--secrets", "--detect"}, value_ + "\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    EXPECT_LT(ran.peak_kib, kMostKib);
    EXPECT_GT(Json({"stats"})["payload_bytes"].Number(), kEvent) << "the event is not as large as it should be";
    EXPECT_EQ(Logctl({"search", value_, "--count"}).out, "") << "it is still there";
  }

  // In pieces, so that scanners do not report this file as a leak.
  const std::string value_ = std::string("Kq7v-rather") + "Secret.9x";
};

TEST_F(RedactMemoryTest, OfBackslashesInAText) {
  ExpectBounded(fmt::format(R"({{"type":"chat_request","content":"{} {}"}})", std::string(2 * kEvent, '\\'), value_));
}

TEST_F(RedactMemoryTest, OfBackslashesInArguments) {
  ExpectBounded(fmt::format(R"({{"type":"tool_call_request","id":"1","name":"t","arguments":{{"a":"{} {}"}}}})",
                            std::string(kEvent, '\\'), value_));
}

TEST_F(RedactMemoryTest, OfEscapesWithinEscapes) {
  std::string text;
  while (text.size() < kEvent * 3 / 2)  // the JSON form is longer than what is stored
    text += R"(\\\\\\\\n%2541&amp;#65;)";
  ExpectBounded(fmt::format(R"({{"type":"chat_request","content":"{} {}"}})", text, value_));
}

}  // namespace
}  // namespace turnlog::command_memory_test
