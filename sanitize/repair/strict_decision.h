// Derives the plan from the required and the active repairs. No I/O.
#pragma once

#include "sanitize/repair/active_repairs.h"
#include "sanitize/repair/strict.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

// `planner` has all events from `from` on; `tail` is its plan for the last turn. Active repairs before `from` stay,
// unless a late result makes them void.
SanitizePlan DecideStrict(const StrictPlanner& planner, const StrictPlanner::Tail& tail, Seq from, bool close_open,
                          const ActiveRepairs& in_force);

}  // namespace turnlog
