// The profile jp082 as a list of events that is edited in place, one rule after the other: slow, and independent of
// sanitize/, to compare with it.
#pragma once

#include <vector>

#include "turnlog/event.h"

namespace turnlog {

// The conversation as jp's reference sanitizer leaves it.
std::vector<Event> Jp082Model(std::vector<Event> events);

}  // namespace turnlog
