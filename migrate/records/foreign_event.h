// Foreign events: records, or parts of them, that turnlog has no event for. They are kept as they are:
//   {"type":"foreign","format":"codex","timestamp":...,"event_id":...,"record":{...}}
#pragma once

#include <optional>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

inline constexpr std::string_view kForeignTag = "foreign";

// REQUIRES: `record` is valid JSON.
Event MakeForeign(std::string_view format, std::string_view record, std::optional<Timestamp> time,
                  const std::optional<std::string>& event_id);

// The record; nothing if the event is not foreign.
std::optional<std::string_view> ReadForeign(const EventView& event);

}  // namespace turnlog
