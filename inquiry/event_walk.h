// Walks decoded events. Damage ends the walk with an error: what follows from the events would be wrong without those
// that are lost.
#pragma once

#include <cstdint>
#include <functional>

#include "turnlog/log.h"

namespace turnlog {

enum class Walk : std::uint8_t { kOn, kEnd };

using EventVisitor = std::function<Result<Walk>(const Record& record, const EventView& event)>;

// Erased events are skipped. kCorruption: damage. Errors of `visit` come through.
Status WalkEvents(Cursor& cursor, const EventVisitor& visit);

}  // namespace turnlog
