// Events of one record of a source whose order is another one than that in which they came into the log.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "migrate/import/source_reader.h"
#include "turnlog/event.h"

namespace turnlog {

// What the event answers: its kind, and the id of the call or the inquiry. Nothing if it answers nothing.
std::optional<std::pair<EventKind, std::string_view>> AnsweredBy(const EventView& event);

// Exchanges the ids of events, which count the events of a record, if both have one.
Status ExchangeIds(HeldEvent& one, HeldEvent& other);
// Gives the event another id, if it has one.
Status SetId(HeldEvent& held, std::optional<std::string_view> id);

}  // namespace turnlog
