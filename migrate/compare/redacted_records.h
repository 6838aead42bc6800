// The redacted events of a conversation, for a source that has its records in other places than the log.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "migrate/compare/redacted_values.h"
#include "schema/event/held_event.h"
#include "turnlog/event.h"

namespace turnlog {

class RedactedRecords {
 public:
  // The events of the log, in order.
  void Add(const EventView& stored, bool redacted);
  // Learns what was redacted in the event of the log that is this one of the source. The events of the source, in
  // order.
  void Teach(const EventView& event, RedactedValues& values);

 private:
  // In its record, among the events of its kind: what precedes them may be there or not.
  struct Place {
    std::string record;
    EventKind kind{};
    std::size_t number = 0;

    auto operator<=>(const Place&) const = default;
  };

  class Counter {
   public:
    // Nothing: its record has no id.
    std::optional<Place> Next(const EventView& event);

   private:
    std::string record_;
    std::map<EventKind, std::size_t> numbers_;
  };

  Counter in_log_, in_source_;
  std::map<Place, HeldEvent> redacted_;
};

}  // namespace turnlog
