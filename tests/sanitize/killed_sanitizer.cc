// The victim of kill_test.cc: tells conversations that need several `repair` events, and sanitizes them, until it is
// killed. Says "ready" when the store is open.
//   killed_sanitizer STORE SEED
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <random>

#include "tests/sanitize/kill_rounds.h"
#include "turnlog/segment_log.h"

namespace turnlog {
namespace {

[[noreturn]] void Run(const std::string& store, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto log = Must(OpenSegmentLog(store, {.segment_bytes = 256 << 10, .checkpoint_bytes = 256 << 10}));
  fmt::print("ready\n");
  std::fflush(stdout);
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
  if (count != 3) return 1;
  try {
    turnlog::Run(arguments[1], std::stoull(arguments[2]));
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 1;
  }
}
