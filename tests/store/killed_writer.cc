// The victim of kill_test.cc: appends from eight threads until it dies before the given file operation, and reports
// acknowledged appends on its standard output: a KilledWriterAck for each, in one write.
//   killed_writer STORE SEED SEGMENT_BYTES CHECKPOINT_BYTES LOG_OPERATION INDEX_OPERATION
#include "tests/store/killed_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "store/engine/event_log.h"
#include "tests/store/deterministic_workload.h"
#include "tests/store/dying_environment.h"

namespace turnlog {
namespace {

constexpr std::uint32_t kThreads = 8;
constexpr std::uint32_t kShared = 1000;  // the first of two conversations that all threads append to

[[noreturn]] void Die(std::string_view what) {
  fmt::print(stderr, "killed_writer: {}\n", what);
  std::_Exit(1);
}

template <class T>
T Must(Result<T> result) {
  if (!result) Die(result.error().message);
  return *std::move(result);
}

void Acknowledge(std::uint32_t conversation, std::uint64_t seq) {
  const KilledWriterAck ack{.conversation = conversation, .seq = seq};
  if (::write(STDOUT_FILENO, &ack, sizeof ack) != sizeof ack) Die("cannot write to standard output");
}

class Appender {
 public:
  Appender(Log& log, std::uint32_t number, std::uint64_t seed) : log_(log), random_(seed + number) {
    for (std::uint32_t i = 0; i < 6; ++i) own_.push_back(number + i * kThreads);
  }

  [[noreturn]] void Run() {
    for (;;) {
      switch (random_() % 10) {
        case 0:
          AppendShared(kShared + static_cast<std::uint32_t>(random_() % 2));
          break;
        case 1:
          AppendSeveral();
          break;
        case 2:
          AppendAgain(SomeConversation());
          break;
        case 3:
          AppendOne(SomeConversation(), Durability::kBuffered);
          break;
        default:
          AppendOne(SomeConversation(), Durability::kSync);
      }
    }
  }

 private:
  std::uint32_t SomeConversation() { return own_[random_() % own_.size()]; }

  std::uint64_t LastOf(std::uint32_t conversation) {
    const auto known = last_.find(conversation);
    if (known != last_.end()) return known->second;
    const auto info = log_.Info(NameOf(conversation));
    if (!info && info.error().code != ErrorCode::kNotFound) Die(info.error().message);
    return last_[conversation] = info ? info->last.value : 0;
  }

  // Seq of the last event, which an acknowledgement covers.
  std::uint64_t Check(const AppendResult& result, std::uint32_t conversation) {
    std::uint64_t& last = last_[conversation];
    for (const AppendedEvent& event : result.events) {
      if (event.repeated || event.seq.value != ++last) Die("an append got the wrong seq");
    }
    return last;
  }

  void AppendOne(std::uint32_t conversation, Durability durability) {
    const auto events = BatchAt(conversation, LastOf(conversation) + 1);
    const AppendResult result = Must(log_.Append(NameOf(conversation), events, {.durability = durability}));
    Acknowledge(conversation, Check(result, conversation));
  }

  void AppendShared(std::uint32_t conversation) {
    for (;;) {
      const std::uint64_t last = LastOf(conversation);
      const auto result =
          log_.Append(NameOf(conversation), BatchAt(conversation, last + 1), {.expected_last = Seq{last}});
      if (result && result->events.back().repeated) {  // another thread has appended the same events
        last_[conversation] = result->events.back().seq.value;
        return Acknowledge(conversation, last_[conversation]);
      }
      if (result) return Acknowledge(conversation, Check(*result, conversation));
      if (result.error().code != ErrorCode::kConflict) Die(result.error().message);
      last_[conversation] = result.error().last_seq.value_or(0);
    }
  }

  void AppendSeveral() {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> acknowledged;
    Ticket ticket;
    for (int i = 0; i < 20; ++i) {
      const std::uint32_t conversation = SomeConversation();
      const auto events = BatchAt(conversation, LastOf(conversation) + 1);
      std::vector<EventView> views;
      for (const Event& event : events) views.push_back(View(event));
      const AppendResult result = Must(log_.AppendLater(NameOf(conversation), views));
      acknowledged.emplace_back(conversation, Check(result, conversation));
      ticket = result.ticket;
    }
    if (const Status status = log_.Wait(ticket, Durability::kSync); !status) Die(status.error().message);
    for (const auto& [conversation, seq] : acknowledged) Acknowledge(conversation, seq);
  }

  // An event with a known event id is not written twice.
  void AppendAgain(std::uint32_t conversation) {
    const std::uint64_t last = LastOf(conversation);
    if (last == 0) return;
    const std::uint64_t seq = 1 + random_() % last;
    const Event event = EventAt(conversation, seq);
    if (!event.event_id) return;
    const AppendResult result = Must(log_.Append(NameOf(conversation), event));
    if (!result.events[0].repeated || result.events[0].seq.value != seq) Die("an event id was not recognised");
  }

  Log& log_;
  std::mt19937_64 random_;
  std::vector<std::uint32_t> own_;
  LastSeqs last_;
};

[[noreturn]] void Run(const std::string& store, std::uint64_t seed, const SegmentOptions& options,
                      const Environment& environment) {
  const auto log = Must(EventLog::Open(store, options, environment));
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&log, i, seed] { Appender(*log, i, seed).Run(); });
  }
  for (std::thread& thread : threads) thread.join();
  Die("the threads ended");
}

}  // namespace
}  // namespace turnlog

int main(int count, char** arguments) {
  if (count != 7) turnlog::Die("wrong arguments");
  turnlog::DyingEnvironment dying(std::stoull(arguments[5]), std::stoull(arguments[6]));
  const std::uint64_t seed = std::stoull(arguments[2]);
  turnlog::Run(arguments[1], seed,
               {.segment_bytes = std::stoull(arguments[3]),
                .checkpoint_bytes = std::stoull(arguments[4]),
                .compression = static_cast<turnlog::Compression>(seed % 3)},
               dying.environment());
}
