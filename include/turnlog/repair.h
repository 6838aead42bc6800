// `repair` events: what the sanitized view of their conversation leaves out, adds and moves. The log itself stays as it
// is. event.h has the shape (Repair), docs/formats/repair.md the JSON form and what it means.
#pragma once

#include <optional>

#include "turnlog/event.h"
#include "turnlog/result.h"

namespace turnlog {

// The event that says it.
Event ToEvent(Repair repair, std::optional<Timestamp> timestamp);
// What a `repair` event says, in whichever form it is stored. kInvalidArgument: it is none, or an older writer stored
// something that this version cannot read; the message names the field. Such an event changes nothing.
Result<Repair> ReadRepair(const EventView& event);

}  // namespace turnlog
