// What an importer does with a piece that it cannot read as an event: it is kept, letter by letter, as an event of the
// kind {"type":"quarantined","reason":...,"raw":...}, so that one bad piece does not cost the rest.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

inline constexpr std::string_view kQuarantinedTag = "quarantined";

struct Quarantined {
  std::string reason;
  std::string lead;  // what stood in front of it, where that cannot be made again; usually empty
  std::string raw;   // any bytes
};

Event MakeQuarantined(const Quarantined& piece);

// Nothing if the event is none of these.
std::optional<Quarantined> ReadQuarantined(const EventView& event);

}  // namespace turnlog
