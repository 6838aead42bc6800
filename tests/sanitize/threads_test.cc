// The sanitizer inside the agent's process: others append, read and sanitize at the same time.
#include <gmock/gmock.h>

#include <atomic>
#include <random>
#include <thread>

#include "tests/sanitize/sanitize_fixture.h"
#include "tests/sanitize/streams.h"
#include "tests/support/story.h"

namespace turnlog::threads_test {
namespace {

using ::testing::IsEmpty;

constexpr int kConversations = 4;
constexpr int kRounds = 150;

std::string NameOf(int conversation) { return "c" + std::to_string(conversation); }

// One agent per conversation; its events are deterministic.
std::vector<Event> WriteLikeAnAgent(Log& log, int conversation) {
  std::mt19937_64 random(static_cast<std::uint64_t>(conversation));
  std::vector<Event> written;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<Event> events = Story("T CR " + LikelyStory(random), written.size());
    for (const Event& event : events) {
      Must(log.Append(Id(NameOf(conversation)), event, {.durability = Durability::kBuffered}));
      written.push_back(event);
    }
  }
  return written;
}

// An agent that appends without a pause may be faster than the sanitizer. That is a conflict, and nothing is written.
void SanitizeUntil(Log& log, const std::atomic<bool>& done, const SanitizeOptions& options) {
  while (!done) {
    for (int i = 0; i < kConversations; ++i) {
      const auto outcome = Sanitize(log, Id(NameOf(i)), options);
      if (outcome) continue;
      const ErrorCode code = outcome.error().code;
      EXPECT_TRUE(code == ErrorCode::kConflict || code == ErrorCode::kNotFound) << outcome.error().message;
    }
  }
}

void ReadUntil(Log& log, const std::atomic<bool>& done) {
  while (!done) {
    for (int i = 0; i < kConversations; ++i) {
      if (log.Info(Id(NameOf(i)))) ShownEvents(log, NameOf(i));
    }
  }
}

std::vector<Event> WithoutRepairs(std::vector<Event> events) {
  std::erase_if(events, [](const Event& event) { return event.kind() == EventKind::kRepair; });
  return events;
}

using SanitizeThreadsTest = LogTest;

TEST_F(SanitizeThreadsTest, AgentsAppendWhileTwoSanitize) {
  std::vector<std::vector<Event>> written(kConversations);
  std::atomic<bool> done = false;
  {
    std::jthread strict([&] { SanitizeUntil(*log_, done, kStrictly); });
    std::jthread closing([&] { SanitizeUntil(*log_, done, kClosing); });
    std::jthread reading([&] { ReadUntil(*log_, done); });
    std::vector<std::jthread> agents;
    agents.reserve(kConversations);
    for (int i = 0; i < kConversations; ++i) {
      agents.emplace_back([&, i] { written[static_cast<std::size_t>(i)] = WriteLikeAnAgent(*log_, i); });
    }
    for (std::jthread& agent : agents) agent.join();
    done = true;
  }
  for (int i = 0; i < kConversations; ++i) {
    SCOPED_TRACE(NameOf(i));
    EXPECT_EQ(WithoutRepairs(RawEvents(*log_, NameOf(i))), written[static_cast<std::size_t>(i)]);
    Must(Sanitize(*log_, Id(NameOf(i)), kClosing));
    EXPECT_THAT(Must(Sanitize(*log_, Id(NameOf(i)), kClosing)).repairs, IsEmpty());
    const std::vector<Event> shown = ShownEvents(*log_, NameOf(i));
    EXPECT_THAT(ResidualDamage(shown), IsEmpty());
    EXPECT_EQ(shown, SanitizedAfresh(*log_, NameOf(i), kClosing));
  }
}

}  // namespace
}  // namespace turnlog::threads_test
