// Quarantine: an importer keeps a piece that it cannot read as an event byte for byte in an event of the form
// {"type":"quarantined","reason":...,"raw":...}, so that one bad piece does not prevent the import of the rest.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

inline constexpr std::string_view kQuarantinedTag = "quarantined";

struct Quarantined {
  std::string reason;
  std::string lead;  // the bytes before it, if they cannot be derived; usually empty
  std::string raw;   // any bytes
  // There are no bytes before it, and none are added: damage between two pieces, or what follows it.
  bool bare = false;
};

Event MakeQuarantined(const Quarantined& piece);

bool IsQuarantined(const EventView& event);
// Nothing if the event is not quarantined.
std::optional<Quarantined> ReadQuarantined(const EventView& event);

}  // namespace turnlog
