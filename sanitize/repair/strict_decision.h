// From what the events need and what is in force already to what is to be done. No I/O.
#pragma once

#include "sanitize/repair/active_repairs.h"
#include "sanitize/repair/strict.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

// `planner` has all events from `from` on, and `tail` is what it says of the last turn. What is in force in front of
// `from` stays, unless a late result makes it void.
SanitizePlan DecideStrict(const StrictPlanner& planner, const StrictPlanner::Tail& tail, Seq from, bool close_open,
                          const ActiveRepairs& in_force);

}  // namespace turnlog
