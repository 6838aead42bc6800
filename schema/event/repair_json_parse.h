// What `repair` and `redaction` events say, in their JSON form.
#pragma once

#include <cstddef>

#include "schema/json/json_reader.h"
#include "turnlog/event.h"

namespace turnlog {

// Takes one field after another, in any order; `field` is a fields::RepairField.
Read<void> ReadRepairField(JsonReader& json, std::size_t field, JsonReader::Value value, RepairView& repair);
// Likewise; `field` is a fields::RedactionField.
Read<void> ReadRedactionField(JsonReader& json, std::size_t field, JsonReader::Value value,
                              RedactionRecordView& redaction);

}  // namespace turnlog
