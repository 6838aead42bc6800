// Walks the events of a conversation, decoded. Damage ends the walk with an error: what follows from the events would
// be wrong without those that are lost.
#pragma once

#include <cstdint>
#include <functional>

#include "turnlog/log.h"

namespace turnlog {

enum class Walk : std::uint8_t { kOn, kEnd };

using EventVisitor = std::function<Result<Walk>(Seq seq, const EventView& event)>;

// An erased event comes as its mark (event_json.h), which is an event of no known kind; an erased turn_start as one:
// there was nothing in it. kNotFound: there is no such conversation. kCorruption: damage. Errors of `visit` come
// through.
Status WalkEvents(Log& log, const ConversationId& conversation, const ReadOptions& options, const EventVisitor& visit);

}  // namespace turnlog
