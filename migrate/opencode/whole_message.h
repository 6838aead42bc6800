// A message of version 2 of opencode: one row of its database with all that the message has.
#pragma once

#include <string_view>

#include "migrate/records/json_object.h"
#include "migrate/records/record_events.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

inline constexpr std::string_view kWholeMessages = "session_message";  // the table

inline bool IsWholeMessage(const JsonObject& row) { return row.String("table") == kWholeMessages; }

// Whether it is still being written, and says nothing yet that stays: a message with a call that runs does.
bool IsUnfinishedWhole(const JsonObject& row);

// Whether it will be written to again.
bool IsOpenWhole(const JsonObject& row);

void AddWholeMessage(const JsonObject& row, TurnTracker& turns, RecordEvents& events);

}  // namespace turnlog
