// Walks the events of a conversation, decoded. Damage ends the walk with an error: what follows from the events would
// be wrong without those that are lost.
#pragma once

#include <cstdint>
#include <functional>

#include "turnlog/log.h"

namespace turnlog {

enum class Walk : std::uint8_t { kOn, kEnd };

// kNotFound: there is no such conversation. kCorruption: damage. Errors of `visit` come through.
Status WalkEvents(Log& log, const ConversationId& conversation, const ReadOptions& options,
                  const std::function<Result<Walk>(const Record&, const EventView&)>& visit);

}  // namespace turnlog
