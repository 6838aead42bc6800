// One event of the log as a field of a JSON object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schema/json/json_writer.h"
#include "turnlog/log.h"

namespace turnlog {

// No field if the event was erased, is damaged, or is stored in more bytes than `most`.
Status WriteEventField(Log& log, const ConversationId& conversation, Seq seq, std::string_view name, JsonWriter& json,
                       std::size_t most = SIZE_MAX);

}  // namespace turnlog
