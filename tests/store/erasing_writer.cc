// The victim of erase_kill_test.cc: appends, erases and redacts until it dies before the given file operation, and
// writes to its standard output: "destroy CONVERSATION SEQ SEQ ..." before, "done" after.
//   erasing_writer STORE SEED SEGMENT_BYTES CHECKPOINT_BYTES LOG_OPERATION INDEX_OPERATION
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>

#include "store/engine/event_log.h"
#include "tests/store/deterministic_workload.h"
#include "tests/store/dying_environment.h"
#include "tests/store/erased_events.h"
#include "turnlog/segment_log.h"

namespace turnlog {
namespace {

constexpr std::uint32_t kConversations = 3;

[[noreturn]] void Die(std::string_view what) {
  fmt::print(stderr, "erasing_writer: {}\n", what);
  std::_Exit(1);
}

template <class T>
T Must(Result<T> result) {
  if (!result) Die(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

void Say(const std::string& line) {
  if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    Die("cannot write to standard output");
}

std::uint64_t LastOf(Log& log, std::uint32_t conversation) {
  const auto info = log.Info(NameOf(conversation));
  if (!info && info.error().code != ErrorCode::kNotFound) Die(info.error().message);
  return info ? info->last.value : 0;
}

[[noreturn]] void AppendForEver(Log& log, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (;;) {
    const auto conversation = static_cast<std::uint32_t>(random() % kConversations);
    const std::uint64_t last = LastOf(log, conversation);
    const auto result = log.Append(
        NameOf(conversation), BatchAt(conversation, last + 1),
        {.durability = random() % 2 == 0 ? Durability::kSync : Durability::kBuffered, .expected_last = Seq{last}});
    // A redaction may have come in between.
    if (!result && result.error().code != ErrorCode::kConflict) Die(result.error().message);
  }
}

// Whether the event is not erased, and of a kind that can be erased or redacted.
bool May(bool redact, Log& log, const EventKey& key) {
  const auto cursor = Must(log.ReadRaw(NameOf(key.first), {.from = {key.second}, .limit = 1}));
  const Item item = Must(cursor->Next());
  const auto* record = std::get_if<Record>(&item);
  if (record == nullptr) return !redact;
  return record->kind != EventKind::kRedaction && (redact ? MayBeRedacted(key) : MayBeErased(key));
}

[[noreturn]] void DestroyForEver(Log& log, std::uint64_t seed) {
  std::mt19937_64 random(seed + 1);
  for (;;) {
    const auto conversation = static_cast<std::uint32_t>(random() % kConversations);
    const std::uint64_t last = LastOf(log, conversation);
    if (last == 0) continue;
    const bool redact = random() % 2 == 0;
    std::vector<Seq> seqs;
    std::string line = fmt::format("destroy {}", conversation);
    for (std::uint64_t left = 1 + random() % 20; left > 0; --left) {
      const Seq seq{last - random() % std::min<std::uint64_t>(last, 40)};
      if (!May(redact, log, {conversation, seq.value})) continue;
      seqs.push_back(seq);
      line += fmt::format(" {}", seqs.back().value);
    }
    if (seqs.empty()) continue;
    Say(line + "\n");
    if (redact) Must(Redact(log, conversation, seqs));
    if (!redact) Must(log.Erase(NameOf(conversation), seqs));
    Say("done\n");
  }
}

[[noreturn]] void Run(const std::string& store, std::uint64_t seed, const SegmentOptions& options,
                      const Environment& environment) {
  const auto log = Must(EventLog::Open(store, options, environment));
  std::thread([&log, seed] { AppendForEver(*log, seed); }).detach();
  DestroyForEver(*log, seed);
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
