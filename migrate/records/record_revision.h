// Revisions: what a record has become since it was imported, where no event shows it, such as the tokens that a message
// has cost. The record's events stay as they are, and the log gets a foreign event after them:
//   {"type":"foreign","format":"opencode","revises":17,"record":{...}}
#pragma once

#include <optional>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/types.h"

namespace turnlog {

// `bytes`: the record as it is now, and what precedes it in its file. `first`: the first of its events in the log.
Event MakeRevision(std::string_view format, std::string_view bytes, Seq first);

// The first event of the record that this one revises; nothing if it is no revision.
std::optional<Seq> ReadRevision(const EventView& event);

}  // namespace turnlog
