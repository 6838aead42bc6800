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
  std::optional<JpFault> fault;  // why it is quarantined
};

// One thread at a time.
class JpElementParser {
 public:
  // Never fails: what cannot be read is quarantined. The event has a source text if what AppendJpElement makes of it,
  // behind the canonical lead, is not what stands here. `first`: of its array.
  JpElement Parse(const RawElement& element, bool first);

 private:
  std::expected<Event, JpFault> Read(std::string_view text);
  std::expected<Event, JpFault> ReadKnown(std::string_view text);

  EventParser parser_;
  std::string scratch_;
};

// The bytes of an element that came from jp, lead and all, or as jp would write it if it came from somewhere else or
// has changed places.
void AppendJpElementWithLead(const EventView& event, bool first, std::string& out);

}  // namespace turnlog
