// What the sanitized view of a conversation is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

struct Log::RawView {
  // How `events` are read. Repairs hide and show events, so that the limit does not count those of the log; backward
  // from a turn, no ReadOptions describe what follows those that are erased.
  static ReadOptions OptionsOf(ReadOptions options, bool has_repairs) {
    const bool from_turn = options.from_turn || options.last_turns;
    if (has_repairs || (options.backward && from_turn)) options.limit = UINT64_MAX;
    return options;
  }

  Seq last;                          // of the conversation
  Turn turn;                         // the last one
  std::vector<RepairRange> repairs;  // up to `last`
  std::unique_ptr<Cursor> events;    // possibly also later ones
};

}  // namespace turnlog
