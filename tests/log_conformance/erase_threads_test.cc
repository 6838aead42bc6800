// Erasing and redacting while other threads read, append and write checkpoints.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "tests/log_conformance/conformance.h"
#include "turnlog/verify_log.h"

namespace turnlog::erase_threads_test {
namespace {

class EraseThreadsTest : public ConformanceTest {
 protected:
  // Threads that read conversation "a" and the log repeatedly, in the writer and in readers beside it, at least once
  // and as long as `goes_on`. `expect_sound` gets what begins to read, and the thread's name.
  template <class ExpectSound, class GoesOn>
  std::vector<std::thread> ReadMeanwhile(ExpectSound expect_sound, GoesOn goes_on) {
    const auto start = [=](const char* who, const auto& log) {
      return std::thread([=] {
        do {
          const auto now = log();
          expect_sound([&] { return Must(now->ReadRaw(Id("a"))); }, who);
          expect_sound([&] { return Must(now->ReadRaw(Id("a"), {.from = {0}, .backward = true})); }, who);
          expect_sound([&] { return Must(now->Follow({})); }, who);
        } while (goes_on() && !HasFailure());
      });
    };
    const auto open = [this] { return OpenReader(); };
    std::shared_ptr<Log> reader = open();
    std::vector<std::thread> threads;
    threads.push_back(start("in the writer", [this] { return log_.get(); }));
    threads.push_back(start("in a reader", [reader = std::move(reader)] { return reader; }));
    threads.push_back(start("in a reader that opens", open));
    return threads;
  }

  LogReport ExpectClean() {
    EXPECT_EQ(store_->Check(), "");
    LogReport report = Must(VerifyLog(*log_));
    for (const Damage& damage : report.damage) ADD_FAILURE() << ToString(damage);
    for (const std::string& difference : report.differences) ADD_FAILURE() << difference;
    return report;
  }
};

TURNLOG_FOR_ALL_ENGINES(EraseThreadsTest);

// Long events, so that a reader may see one half overwritten.
TEST_P(EraseThreadsTest, ConcurrentReadersSeeNoDamage) {
  constexpr std::uint64_t kEvents = 150;
  for (std::uint64_t i = 1; i <= kEvents; ++i) Must(Append("a", Say(std::string(10'000 + i * 50, 'x'))));
  std::atomic<bool> done = false;
  const auto expect_sound = [&](const auto& begin, const char* who) {
    const auto source = begin();
    std::uint64_t seen = 0;
    for (Item item = Must(source->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(source->Next())) {
      const auto* damage = std::get_if<Damage>(&item);
      ASSERT_EQ(damage, nullptr) << who << ": " << ToString(*damage);
      ++seen;
    }
    ASSERT_EQ(seen, kEvents) << who;
  };
  std::vector<std::thread> threads = ReadMeanwhile(expect_sound, [&] { return !done; });
  for (std::uint64_t seq = 1; seq <= kEvents; seq += 3)
    Must(log_->Erase(Id("a"), std::vector<Seq>{{seq}, {seq + 1}, {seq + 2}}));
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ExpectClean().erased, kEvents);
}

// Redacts the same events repeatedly, so that a reader may see one between two redactions.
TEST_P(EraseThreadsTest, WhoReadsWhileEventsAreRedactedSeesThemBeforeOrAfter) {
  constexpr std::uint64_t kEvents = 20;
  constexpr int kRounds = 40;
  const auto form = [](std::uint64_t seq, int round) {
    return Say(
        fmt::format("{} {} {}", seq, round, std::string(2'000 + seq * 300, static_cast<char>('a' + round % 26))));
  };
  for (std::uint64_t seq = 1; seq <= kEvents; ++seq) Must(Append("a", form(seq, 0)));
  std::atomic<int> round = 0;
  const auto expect_sound = [&](const auto& begin, const char* who) {
    const int before = round;
    const auto source = begin();
    const int at_least = GetParam().cursors_fetch_ahead ? before : round.load();
    std::uint64_t seen = 0;
    for (Item item = Must(source->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(source->Next())) {
      const auto* damage = std::get_if<Damage>(&item);
      ASSERT_EQ(damage, nullptr) << who << ": " << ToString(*damage);
      const auto* record = std::get_if<Record>(&item);
      ASSERT_NE(record, nullptr) << who;
      if (record->kind == EventKind::kRedaction) continue;
      const EventView event = Must(record->Decode());
      const std::string_view text = std::get<BasicChatRequest<std::string_view>>(event.body).content;
      const int now = std::stoi(std::string(text.substr(text.find(' ') + 1, 3)));
      ASSERT_GE(now, at_least) << who << " goes back";
      const Event expected = form(record->seq.value, now);
      ASSERT_EQ(text, std::get<ChatRequest>(expected.body).content) << who;
      ++seen;
    }
    ASSERT_EQ(seen, kEvents) << who;
  };
  std::vector<std::thread> threads = ReadMeanwhile(expect_sound, [&] { return round < kRounds; });
  const Event redaction{.body = Verbatim{.kind = EventKind::kRedaction,
                                         .tag = "redaction",
                                         .json = Json::FromTrusted(R"({"type":"redaction"})")}};
  for (int next = 1; next <= kRounds; ++next) {
    std::vector<Event> events;
    for (std::uint64_t seq = 1; seq <= kEvents; ++seq) events.push_back(form(seq, next));
    std::vector<Replacement> replacements;
    for (std::uint64_t seq = 1; seq <= kEvents; ++seq) replacements.push_back({{seq}, View(events[seq - 1])});
    Must(log_->Redact(Id("a"), replacements, View(redaction)));
    round = next;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ExpectClean().redacted, kEvents);
}

TEST_P(EraseThreadsTest, AppendsAndCheckpointsContinueMeanwhile) {
  std::vector<std::thread> threads;
  for (const char* conversation : {"a", "b", "c"}) {
    threads.emplace_back([this, conversation] {
      for (std::uint64_t i = 1; i <= 40; ++i) {
        Must(Append(conversation, {Say("goes"), Say("stays")}));
        Must(log_->Erase(Id(conversation), std::vector<Seq>{{2 * i - 1}}));
        if (i % 10 == 0) Must(log_->Checkpoint());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const char* conversation : {"a", "b", "c"}) {
    const std::vector<std::string> lines = Lines(*log_, conversation);
    ASSERT_EQ(lines.size(), 80U);
    EXPECT_EQ(std::ranges::count_if(lines, [](const auto& line) { return line.ends_with("stays"); }), 40);
  }
  Reopen();
  EXPECT_EQ(ExpectClean().erased, 120U);
}

}  // namespace
}  // namespace turnlog::erase_threads_test
