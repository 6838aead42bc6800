// What becomes of one turn that is over, by the rules of the profile strict.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "history/turn.h"
#include "sanitize/repair/strict_state.h"
#include "schema/event/compaction_range.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

// A result was found in a later turn than its call and is moved there, so the error that stood in for it is void.
struct LateResult {
  Seq call, place, result;
};

struct StrictRepairs {
  std::vector<Drop> drops;
  std::vector<Insert> inserts;   // those that a late result makes void included
  std::vector<LateResult> late;  // a move among the inserts for each
  std::vector<Finding> notes;
};

struct FoundCompaction {
  Seq seq;
  CompactionRange range;
  Event event;
};

// Adds what `turn` needs to `out`, and takes `state` from the beginning of the turn to its end (but for `resume`). What
// is left over is closed or dropped, and moved if it is a late result. `compactions`: those that stand in it.
void RepairTurn(const TurnFold& turn, std::span<const FoundCompaction> compactions, StrictState& state,
                StrictRepairs& out);

// A compaction names turns by their index; where turns before or within its range are gone, the indexes follow.
// `turns`: how many there are up to the one in which the compactions stand.
void RepairCompactions(std::span<const FoundCompaction> compactions, const std::vector<std::uint64_t>& dropped_turns,
                       std::uint64_t turns, StrictRepairs& out);

}  // namespace turnlog
