// The record of an import: the event of kind `import` that stands in front of the events that were imported.
// docs/formats/import.md has its JSON form.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"

namespace turnlog {

// All texts are bytes as they stood in the source.
struct ImportRecord {
  std::string format;
  std::string source;                        // name of the file or folder
  std::uint64_t events = 0;                  // that came with it: those behind it, but for `repair` and `redaction`
  std::string fingerprint;                   // of the whole source; empty if it must be compared in any case
  bool redacted = false;                     // some of the texts are in their redacted form
  std::map<std::string, std::string> parts;  // what the source has beside its events, by names that the format gives

  bool operator==(const ImportRecord&) const = default;
};

Event MakeImportEvent(const ImportRecord& record);

// Nothing if the event is none, or has another shape. Reads what older versions wrote, too.
std::optional<ImportRecord> ReadImportEvent(const EventView& event);

// What the imports of a conversation have had redacted, collected from their records in order. It stays redacted: a
// later record of the same text gets the redacted form, whatever the source says now.
class RedactedParts {
 public:
  // `redacted`: the log has changed the event since it was appended.
  void Add(const ImportRecord& record, bool redacted);

  // Whether two names stand for the same part in different layouts of a format.
  using SamePart = bool (*)(std::string_view one, std::string_view other);

  // Puts the redacted forms into `record`, and says so in it. Gives the names of what says something new, too: that
  // cannot be told from what was redacted, and is not imported.
  std::vector<std::string> Apply(ImportRecord& record, SamePart same_part) const;

 private:
  const std::string* FormOf(std::string& name, SamePart same_part) const;

  std::optional<std::string> source_;
  std::map<std::string, std::string> parts_;
};

}  // namespace turnlog
