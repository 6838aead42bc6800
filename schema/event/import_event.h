// Which events are records of imports, and what those who change stored events must know of them: any text in such an
// event is content of a source, but for `format`. migrate/logged/import_record.h reads and writes the rest.
#pragma once

#include <string_view>
#include <variant>

#include "turnlog/event.h"

namespace turnlog {

inline constexpr std::string_view kImportTag = "import";
// What importers wrote before there was a second format. Read for ever, never written.
inline constexpr std::string_view kOldImportTag = "jp_import";

// A hash of the source. It must be emptied when something of the conversation is redacted: a guess at what was there
// could be checked by it.
inline constexpr std::string_view kImportFingerprint = "fingerprint";
// True: some text of the record is in its redacted form, which later imports must keep.
inline constexpr std::string_view kImportRedacted = "redacted";
// The names of the parts that are: a number that was redacted is 0, which does not show that it was one.
inline constexpr std::string_view kImportRedactedParts = "redacted_parts";

// The consumer whose watermark has the state of a conversation's source, with hashes of it: emptied as a fingerprint
// is.
inline constexpr std::string_view kImportConsumer = "import";
// A conversation that does not exist; its watermark has the key of such states that are kept for a source as a whole
// (migrate/logged/sealed_state.h). Any redaction empties it.
inline constexpr std::string_view kImportKey = "import-key";

inline bool IsImportTag(std::string_view tag) { return tag == kImportTag || tag == kOldImportTag; }

inline bool IsImportEvent(const EventView& event) {
  const auto* verbatim = std::get_if<VerbatimView>(&event.body);
  return verbatim != nullptr && IsImportTag(verbatim->tag);
}

}  // namespace turnlog
