// The readers of events in their JSON form.
#pragma once

#include "schema/json/json_reader.h"
#include "turnlog/event.h"
#include "turnlog/event_json.h"

namespace turnlog {

// `object`: the outermost one of the document, which is read to its end.
Read<EventView> ReadEvent(JsonReader& json, JsonReader::Object& object, EventParser::Envelope& envelope);

// An event within another one. Only kinds that MayBeInserted: so it holds no further one.
Read<EventView> ReadInsertedEvent(JsonReader& json, JsonReader::Value value);

}  // namespace turnlog
