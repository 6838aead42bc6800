// Converts a plan to `repair` events.
#pragma once

#include <optional>
#include <vector>

#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

// Each event holds a limited part of the plan, in order of their anchors, so that reading a part of the conversation
// needs few of them. None if the plan is empty.
std::vector<Event> ToRepairEvents(const SanitizePlan& plan, RepairProfile profile, std::optional<Timestamp> time);

}  // namespace turnlog
