// Which message of the model an event is of, as TurnRecorder numbers them within a turn: in the metadata of its events.
#pragma once

#include <cstdint>

#include "turnlog/json.h"

namespace turnlog {

// None for 0.
Json MessageMark(std::uint64_t message);
// 0: the metadata does not say.
std::uint64_t MessageOf(const JsonView& metadata);

}  // namespace turnlog
