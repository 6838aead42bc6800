// A refused secret does not stay in our memory.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#include "tests/store/log_fixture.h"

namespace turnlog::secret_test {
namespace {

const InquiryId kSecret = Opaque("call.token");

using SecretTest = LogTest;

// A text that is in memory in clear only for a moment.
constexpr std::string_view kMasked = "\x22\x3c\x25\x30\x31\x78\x34\x33\x21\x30\x27\x78\x20\x26\x30\x78\x61\x62\x64\x64";
constexpr char kMask = 0x55;

// How often it occurs in clear in the memory of this process. Looks through one buffer, which is wiped: copies made by
// looking must not be found later.
std::size_t CountInMemory() {
  static std::array<char, std::size_t{1} << 20> buffer;
  constexpr std::size_t kStep =
      buffer.size() - kMasked.size() + 1;  // what lies across two pieces is found in the first
  const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    std::array<char, 5> access{};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, access.data()) != 3 || access[1] != 'w') continue;
    if (end - begin > std::size_t{1} << 30) continue;  // shadow memory of a sanitizer
    for (; begin < end; begin += kStep) {
      buffer.fill(0);
      const ssize_t got =
          ::pread(memory, buffer.data(), std::min(buffer.size(), end - begin), static_cast<off_t>(begin));
      const auto same = [](char letter, char masked) { return static_cast<char>(letter ^ kMask) == masked; };
      for (auto at = buffer.begin(), last = buffer.begin() + std::max<ssize_t>(got, 0);; ++at, ++count) {
        at = std::search(at, last, kMasked.begin(), kMasked.end(), same);
        if (at == last) break;
      }
    }
  }
  ::explicit_bzero(buffer.data(), buffer.size());
  ::close(memory);
  return count;
}

// For any reason, and at any position of the answer in the batch.
TEST_F(SecretTest, IsNowhereInOurMemoryAfterItWasRefused) {
  Must(Append("a", {NewTurn(), AskSecret(kSecret), Named("known", Say("3"))}));
  std::array<char, kMasked.size() + 2> json{'"'};
  json.back() = '"';
  std::ranges::transform(kMasked, json.begin() + 1, [](char masked) { return static_cast<char>(masked ^ kMask); });
  EventView answer{
      .body = BasicInquiryResponse<std::string_view>{.outcome = Outcome::kAnswered,
                                                     .id = {kSecret.text, {}},
                                                     .answer = JsonView::FromTrusted({json.data(), json.size()})}};
  const Event said = Say("x");
  const EventView other = View(said);
  const EventView invalid{.body = BasicToolCallRequest<std::string_view>{}};
  ASSERT_GE(CountInMemory(), 1U) << "it would not be found";
  EXPECT_EQ(CodeOf(log_->Append(Id("a"), {&answer, 1}, {})), "secret refused");
  EXPECT_EQ(CodeOf(log_->Append(Id("a"), std::array{other, answer, other}, {})), "secret refused");
  EXPECT_EQ(CodeOf(log_->Append(Id("a"), {&answer, 1}, {.expected_last = Seq{7}})), "conflict");
  EXPECT_EQ(CodeOf(log_->Append(Id("a"), std::array{answer, invalid}, {})), "invalid argument");
  answer.event_id = "known";
  const AppendResult repeated = Must(log_->Append(Id("a"), {&answer, 1}, {}));
  EXPECT_TRUE(repeated.events.front().repeated);
  ::explicit_bzero(json.data(), json.size());
  EXPECT_EQ(CountInMemory(), 0U);
}

}  // namespace
}  // namespace turnlog::secret_test
