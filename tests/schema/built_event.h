// An event encoded by FlatBuffers' own builder, as turnlog once did: what turnlog writes must be the same.
#pragma once

#include <string>

#include "turnlog/event.h"

namespace turnlog {

std::string BuildEvent(const EventView& event);

}  // namespace turnlog
