// One element of a jp events.json as an event.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/jp/array.h"
#include "turnlog/event.h"
#include "turnlog/event_json.h"

namespace turnlog {

struct JpFault {
  std::string reason;
  std::size_t byte = 0;  // of the element
};

struct JpElement {
  Event event;
  std::optional<JpFault> fault;  // the reason if it is quarantined
};

// One thread at a time.
class JpElementParser {
 public:
  // Never fails: an unreadable element is quarantined. The event gets a source text unless the canonical lead and
  // AppendJpElement reproduce the bytes. `first`: the first element of its array.
  JpElement Parse(const RawElement& element, bool first);

 private:
  std::expected<Event, JpFault> Read(std::string_view text);
  std::expected<Event, JpFault> ReadKnown(std::string_view text);

  EventParser parser_;
  std::string scratch_;
};

// Appends the original bytes of an element from jp, lead included, or the element as jp would write it if it came from
// elsewhere or has moved.
void AppendJpElementWithLead(const EventView& event, bool first, std::string& out);

}  // namespace turnlog
