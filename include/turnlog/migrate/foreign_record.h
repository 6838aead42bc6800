// What a record is that an importer kept as it is, because turnlog has no event for it.
#pragma once

#include <optional>
#include <string>

#include "turnlog/event.h"

namespace turnlog {

struct ForeignRecord {
  std::string format;  // the importer's name, e.g. "codex"
  std::string type;    // by the record's own fields, e.g. "session_meta" or "event_msg/token_count"; may be empty
};

// Nothing if the event is not such a record. Parses its JSON once.
std::optional<ForeignRecord> DescribeForeignRecord(const VerbatimView& event);

}  // namespace turnlog
