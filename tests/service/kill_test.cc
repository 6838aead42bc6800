// A service that is killed at any moment under writers: what was acknowledged is there, and everything is there once.
#include <map>
#include <random>
#include <set>
#include <thread>

#include "tests/service/child_service.h"
#include "tests/service/service_fixture.h"

namespace turnlog::kill_test {
namespace {

constexpr int kWriters = 8;
constexpr int kEach = 120;

// Half of the writers name their events, half of them guard their appends by the last seq: both can be resolved.
void Write(Log& log, int writer, std::atomic<int>& acknowledged) {
  const ConversationId conversation = Id("writer-" + std::to_string(writer));
  for (int i = 1; i <= kEach; ++i) {
    Event event = Say(std::to_string(i));
    AppendOptions options;
    if (writer % 2 == 0) {
      event.event_id = std::to_string(i);
    } else {
      options.expected_last = Seq{static_cast<std::uint64_t>(i - 1)};
    }
    const auto result = log.Append(conversation, event, options);
    ASSERT_TRUE(result) << writer << "/" << i << ": " << result.error().message;
    ASSERT_EQ(result->events.front().seq.value, static_cast<std::uint64_t>(i));
    ++acknowledged;
  }
}

TEST(ServiceKillTest, LosesAndDoublesNothing) {
  const TempDir folder;
  const std::string store = (folder / "store").string(), socket = (folder / "socket").string();
  auto service = std::make_unique<ChildService>(store, socket);
  std::unique_ptr<Log> log;
  while (log == nullptr) {
    auto opened = OpenRemoteLog("unix:" + socket, {.token = {}, .patience = std::chrono::minutes(2)});
    if (opened) log = *std::move(opened);
    std::this_thread::yield();
  }
  std::vector<std::thread> writers;
  std::atomic<int> done = 0, acknowledged = 0;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&, i] {
      Write(*log, i, acknowledged);
      ++done;
    });
  }
  // Killed in the middle of other appends, however fast they are.
  std::mt19937 random(20);
  for (int until = 0; until < kWriters * kEach; until += 1 + static_cast<int>(random() % 90)) {
    while (acknowledged < until && done < kWriters) std::this_thread::yield();
    if (done == kWriters) break;
    service->Kill();
    service = std::make_unique<ChildService>(store, socket);
  }
  for (std::thread& writer : writers) writer.join();
  for (int i = 0; i < kWriters; ++i) {
    const auto lines = Lines(*log, "writer-" + std::to_string(i));
    ASSERT_EQ(lines.size(), static_cast<std::size_t>(kEach)) << i;
    for (int n = 1; n <= kEach; ++n) {
      EXPECT_EQ(lines[static_cast<std::size_t>(n - 1)], std::to_string(n) + " 0 " + std::to_string(n));
    }
  }
}

}  // namespace
}  // namespace turnlog::kill_test
