// Revisions: what a record has become since it was imported, where no event shows it, such as the tokens that a message
// has cost. The record's events stay as they are, and the log gets a foreign event after them:
//   {"type":"foreign","format":"opencode","revises":17,"record":{...}}
#pragma once

#include <optional>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/types.h"

namespace turnlog {

// Rows beside the messages that a database has, such as one of another table for each message, are kept in the same
// way, each time that they have changed. The log has them anywhere, and the last one of a name counts:
//   {"type":"foreign","format":"opencode","revises":0,"row":"session_message/msg_1","record":{...}}

// `bytes`: the record as it is now, and what precedes it in its file. `first`: the first of its events in the log.
Event MakeRevision(std::string_view format, std::string_view bytes, Seq first);

// `bytes`: the row, without the line break that follows it.
Event MakeRow(std::string_view format, std::string_view bytes, std::string_view name);

// The first event of the record that this one revises, or 0 if it is a row; nothing if it is neither.
std::optional<Seq> ReadRevision(const EventView& event);
// The name of the row; nothing if the event is none.
std::optional<std::string> ReadRowName(const EventView& event);

}  // namespace turnlog
