// Redacting while others append and read.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "tests/redact/redact_fixture.h"

namespace turnlog::threads_test {
namespace {

using ::testing::AnyOf;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST_F(RedactTest, WritersContinueAndReadersSeeTheOldEventOrTheNewOne) {
  constexpr int kConversations = 8, kEvents = 60, kMore = 2'000;
  for (int i = 0; i < kConversations * kEvents; ++i) {
    Must(Append("c" + std::to_string(i % kConversations), Say("say " + (i % 5 == 0 ? value_ : "nothing"))));
  }
  std::atomic<bool> stop = false;
  std::vector<std::jthread> others;
  others.reserve(3);
  for (int writer = 0; writer < 2; ++writer) {
    others.emplace_back([&, writer] {
      // Not for ever: the proof reads what they write, and a sanitizer may read slower than they write.
      for (int i = 0; !stop && i < kMore; ++i)
        Must(Append("c" + std::to_string((i + writer) % kConversations), Say("say more")));
    });
  }
  others.emplace_back([&] {
    while (!stop) {
      for (const std::string& line : Lines(*log_, "c0")) {
        const std::string_view brief = std::string_view(line).substr(line.find(' ', line.find(' ') + 1) + 1);
        EXPECT_THAT(brief, AnyOf(StartsWith("say "), "redaction"));
      }
    }
  });
  const RedactionProof proof = Redact(Given({value_}));
  stop = true;
  others.clear();
  EXPECT_TRUE(proof.clean());
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
  for (int i = 0; i < kConversations; ++i) {
    const auto lines = Lines(*log_, "c" + std::to_string(i));
    EXPECT_EQ(std::ranges::count_if(lines, [](const std::string& line) { return line.ends_with("say [redacted]"); }),
              kEvents / 5);
  }
}

}  // namespace
}  // namespace turnlog::threads_test
