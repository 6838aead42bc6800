// Verifies a log of any engine through its own interface.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "turnlog/damage.h"
#include "turnlog/log.h"
#include "turnlog/result.h"
#include "turnlog/storage_visitor.h"

namespace turnlog {

struct LogReport {
  std::uint64_t conversations = 0, events = 0;
  std::uint64_t bytes = 0;                 // of the encoded events
  std::uint64_t erased = 0, redacted = 0;  // of the events
  std::uint64_t damage_count = 0;
  std::vector<Damage> damage;  // the first 1,000
  std::uint64_t lookups = 0;   // that were compared with the events
  std::uint64_t difference_count = 0;
  std::vector<std::string> differences;  // the first 1,000, one line each

  bool clean() const { return damage_count == 0 && difference_count == 0; }
};

// Reads every event, and compares with the events what the engine finds by other ways: each conversation's last seq,
// turns, times and size, the start of each turn, the attempts of each inquiry, what is pending, and repairs. Where
// events are damaged or erased, what depends on them is not compared; what event ids lead to never is. Works beside
// writers; of a conversation that never rests, only the events are verified. `progress`: in events. Cost: all events,
// and one lookup for each turn and inquiry. Memory: the inquiries and turns of one conversation, and the names of those
// where inquiries are pending.
Result<LogReport> VerifyLog(Log& log, const Progress& progress = {});

}  // namespace turnlog
