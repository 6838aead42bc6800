// Encodes the events that a reader returns.
#pragma once

#include <optional>

#include "migrate/sources/source_reader.h"
#include "schema/event/codec.h"
#include "turnlog/event.h"

namespace turnlog {

class ItemEncoder {
 public:
  // The item of the event, without anything else. It is valid until the next call, or brings its memory along if it is
  // so large that a copy would be expensive: of such an event, nothing is left in `event`.
  // REQUIRES: Validate(event) accepts it.
  SourceEvent Encode(Event& event);

 private:
  EventEncoder encoder_;
};

// Fails with Validate's error.
Result<HeldEvent> EncodeChecked(const EventView& event);
// Why the log would refuse the event.
std::optional<ImportReason> WhyRefused(const Event& event);

}  // namespace turnlog
