#pragma once

#include <map>
#include <set>
#include <string>

#include "turnlog/event.h"

namespace turnlog {

// The `redaction` event for the events that each rule changed.
Event MakeRedactionEvent(Timestamp time, std::string by, const std::map<std::string, std::set<Seq>>& rules);

}  // namespace turnlog
