// `repair` events: what the sanitized view of their conversation drops, inserts and moves. The log itself is unchanged.
// event.h has the type (Repair), docs/formats/repair.md the JSON form and its meaning.
#pragma once

#include <optional>

#include "turnlog/event.h"
#include "turnlog/result.h"

namespace turnlog {

// The event that records `repair`.
Event ToEvent(Repair repair, std::optional<Timestamp> timestamp);
// Reads a `repair` event in any stored form. kInvalidArgument: it is another event, or an older writer stored something
// that this version cannot read; the message names the field. Such an event has no effect on the view.
Result<Repair> ReadRepair(const EventView& event);
inline Result<Repair> ReadRepair(const Event& event) { return ReadRepair(View(event)); }

}  // namespace turnlog
