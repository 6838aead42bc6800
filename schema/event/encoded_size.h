#pragma once

#include <cstddef>

#include "turnlog/event.h"

namespace turnlog {

// The encoded event is not larger than this. Cost: a few nanoseconds.
std::size_t EncodedSizeBound(const EventView& event);

}  // namespace turnlog
