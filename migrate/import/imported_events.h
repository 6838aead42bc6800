// Which events of a conversation came from a source: each import stands in the log as its record and, behind it, the
// events that the record counts.
#pragma once

#include <cstdint>
#include <optional>

#include "migrate/import/import_record.h"
#include "migrate/import/stored_events.h"
#include "turnlog/log.h"

namespace turnlog {

enum class EventOrigin : std::uint8_t {
  kRecord,    // of an import
  kImported,  // came with the record before it
  kOwn,       // appended by somebody else
};

// Told of a conversation's events from the first on, as they stand in the log.
class EventOrigins {
 public:
  EventOrigin Next(const StoredEvent& event);
  // How many events of the last import are not there: it was interrupted.
  std::uint64_t missing() const { return missing_; }

 private:
  std::uint64_t missing_ = 0;
};

// The records of a conversation's imports.
struct ImportHistory {
  ImportRecord last;
  Seq seq;  // of the last record
  RedactedParts redacted;
};

// Whether all events of the last import are in the log, without reading them; `last` is the conversation's last seq.
// REQUIRES: nothing of the conversation was redacted since, which empties the fingerprint.
Result<bool> IsComplete(Log& log, const ConversationId& conversation, const ImportHistory& imports, Seq last);

// Without reading what the imports brought. Nothing if the conversation does not begin with the record of an import.
Result<std::optional<ImportHistory>> FindImports(Log& log, const ConversationId& conversation, Seq last);

}  // namespace turnlog
