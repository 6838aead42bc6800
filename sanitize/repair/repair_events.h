// A plan as the `repair` events that carry it out.
#pragma once

#include <optional>
#include <vector>

#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

// Each holds a limited part of the plan, in order of place, so that whoever reads a part of the conversation needs few
// of them. None if the plan is empty.
std::vector<Event> ToRepairEvents(const SanitizePlan& plan, RepairProfile profile, std::optional<Timestamp> time);

}  // namespace turnlog
