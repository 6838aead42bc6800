// Which events of a conversation came from jp: each import stands in the log as its record and, right behind, the
// events that the record counts.
#pragma once

#include <cstdint>
#include <optional>

#include "migrate/jp_record.h"
#include "migrate/stored_events.h"
#include "turnlog/log.h"

namespace turnlog {

enum class JpPart {
  kRecord,    // of an import
  kImported,  // came with the record before it
  kOwn,       // appended by somebody else
};

// Told of a conversation's events from the first on, raw or sanitized.
class JpImports {
 public:
  JpPart Next(const StoredEvent& event);

 private:
  std::uint64_t end_ = 0;  // the last event of the import at hand
};

// The record of the last import of the conversation, without reading what the imports brought. Nothing if its first
// event is none.
Result<std::optional<JpRecord>> FindLastJpRecord(Log& log, const ConversationId& conversation, Seq last);

}  // namespace turnlog
