// Hashes of tool arguments, against which guesses of what was removed from these arguments could be tried. They are in
// the records of approvals, denials and permissions, also of other conversations.
#pragma once

#include <string>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/log.h"

namespace turnlog {

// The hashes that other events may have of arguments of this event, if these have changed.
std::vector<std::string> HashesOfChanged(const EventView& before, const EventView& after);

// Never false for an event that has such a hash.
bool MayHaveArgumentsHash(const Record& record);

}  // namespace turnlog
