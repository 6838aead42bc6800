// Which items of a conversation's repairs are in force. A pure fold over its `repair` events.
#pragma once

#include <span>
#include <vector>

#include "turnlog/repair.h"

namespace turnlog {

struct StoredRepair {
  Seq seq;  // of the `repair` event
  Repair repair;
};

struct RepairSet {
  std::vector<RepairItem> active;      // by anchor; those of one anchor in the order in which they were recorded
  std::vector<RepairItem> suppressed;  // of repairs that somebody has undone, and not in force by another
};

// A repair is in force unless a later one that is in force undoes it. One that is in force first takes back the items
// of earlier ones that it retracts, then adds its own.
//
// Which of them are undone by a later one that is not undone itself. REQUIRES: in order of seq.
std::vector<bool> FindUndone(std::span<const StoredRepair> repairs);

// REQUIRES: in order of seq. What retracts or undoes an item of them must be among them.
RepairSet FoldRepairs(std::span<const StoredRepair> repairs);

}  // namespace turnlog
