// What an event says, however its source spells it: a tool that moves its sessions to another layout keeps what they
// say, and writes it with other white space and other names around it.
#pragma once

#include <string>

#include "migrate/format.h"
#include "turnlog/event.h"

namespace turnlog {

// Two events of this format mean the same if these texts are equal. Without the original text of the record.
std::string MeaningOf(EventView event, const Format& format);

// Or the tool has saved the event again. `stored`: of the log. An earlier revision of the reader may not have found the
// time of the event.
bool MeanTheSame(const EventView& stored, EventView event, const Format& format);

}  // namespace turnlog
