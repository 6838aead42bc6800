// Finds the imported events of a conversation: each import is its record, followed by as many events as the record
// counts.
#pragma once

#include <cstdint>
#include <optional>

#include "migrate/logged/import_record.h"
#include "migrate/logged/redacted_parts.h"
#include "migrate/logged/stored_events.h"
#include "turnlog/log.h"

namespace turnlog {

enum class EventOrigin : std::uint8_t {
  kRecord,    // an import record
  kImported,  // belongs to the record before it
  kOwn,       // not imported
};

// REQUIRES: called for a conversation's events from the first on, in log order.
class EventOrigins {
 public:
  EventOrigin Next(const StoredEvent& event);
  // Number of missing events of the last import, if it was interrupted.
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

// The conversation's last seq; 0 if the log does not have it.
Result<Seq> LastSeq(Log& log, const ConversationId& conversation);

// Whether all events of the last import are in the log, without reading them; `last`: the conversation's last seq.
// REQUIRES: no event was redacted since then; a redaction empties the fingerprint.
Result<bool> IsComplete(Log& log, const ConversationId& conversation, const ImportHistory& imports, Seq last);

// Does not read the imported events. Nothing if the conversation does not begin with an import record.
Result<std::optional<ImportHistory>> FindImports(Log& log, const ConversationId& conversation, Seq last);
// The same. kNotFound: the log does not have the conversation.
Result<std::optional<ImportHistory>> FindImports(Log& log, const ConversationId& conversation);

}  // namespace turnlog
