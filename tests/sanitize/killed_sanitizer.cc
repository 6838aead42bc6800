// The victim of kill_test.cc: appends conversations that need several `repair` events, and sanitizes them, until it
// dies before the given operation on the log's files.
//   killed_sanitizer STORE SEED LOG_OPERATION
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <random>

#include "store/engine/event_log.h"
#include "tests/sanitize/kill_rounds.h"
#include "tests/store/dying_environment.h"
#include "turnlog/segment_log.h"

namespace turnlog {
namespace {

[[noreturn]] void Run(const std::string& store, std::uint64_t seed, const Environment& environment) {
  std::mt19937_64 random(seed);
  const auto log =
      Must(EventLog::Open(store, {.segment_bytes = 256 << 10, .checkpoint_bytes = 256 << 10}, environment));
  for (;;) {
    const std::string name = fmt::format("c{}", random() % 3);
    if (random() % 4 == 0) AppendRound(*log, name);
    const Durability durability = random() % 2 == 0 ? Durability::kSync : Durability::kBuffered;
    if (log->Info(Id(name))) Must(Sanitize(*log, Id(name), {.durability = durability}));
  }
}

}  // namespace
}  // namespace turnlog

int main(int count, char** arguments) {
  if (count != 4) return 1;
  try {
    turnlog::DyingEnvironment dying(std::stoull(arguments[3]), 0);
    turnlog::Run(arguments[1], std::stoull(arguments[2]), dying.environment());
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 1;
  }
}
