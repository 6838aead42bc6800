// The readers of events in their JSON form, for one another.
#pragma once

#include <string_view>

#include "schema/json/json_reader.h"
#include "turnlog/event.h"

namespace turnlog {

// An event within another one. Only kinds that MayBeInserted: so it holds no further one.
Read<EventView> ReadInsertedEvent(JsonReader& json, JsonReader::Value value);

}  // namespace turnlog
