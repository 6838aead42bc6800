// Repairs one turn that is over, by the rules of the profile strict.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "history/turn.h"
#include "sanitize/repair/strict_state.h"
#include "schema/event/compaction_range.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

// A result in a later turn than its call is moved to the call, so the error inserted in its stead is void.
struct LateResult {
  Seq call, anchor, result;
};

struct StrictRepairs {
  std::vector<Drop> drops;
  std::vector<Insert> inserts;   // including those that a late result makes void
  std::vector<LateResult> late;  // for each, `inserts` contains a move
  std::vector<Finding> notes;
};

struct FoundCompaction {
  Seq seq;
  CompactionRange range;
  Event event;
};

// Adds the repairs of `turn` to `out`, and advances `state` from the beginning of the turn to its end (except
// `resume`). Unpaired events are closed or dropped, late results moved. `compactions`: those in the turn.
void RepairTurn(const TurnFold& turn, std::span<const FoundCompaction> compactions, StrictState& state,
                StrictRepairs& out);

// A compaction names turns by their index; if turns before or within its range are dropped, the indexes are adjusted.
// `turns`: the number of turns up to that of the compactions, inclusive.
void RepairCompactions(std::span<const FoundCompaction> compactions, const std::vector<std::uint64_t>& dropped_turns,
                       std::uint64_t turns, StrictRepairs& out);

}  // namespace turnlog
