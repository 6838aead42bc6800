// What a jp conversation has beside its events: the event of kind `jp_import` that stands in front of what was
// imported. docs/formats/jp.md has its JSON form.
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
struct JpRecord {
  std::string directory;  // name of the conversation's folder
  bool archived = false;
  std::uint64_t events = 0;                  // how many of the events behind this one came with it
  std::string fingerprint;                   // of the whole source; empty if it must be compared in any case
  std::optional<std::string> packed_config;  // the first element of a packed events.json, with its lead
  std::string trailer;                       // behind the last element, if it is not what jp writes
  std::map<std::string, std::string> files;  // all but events.json, by name

  bool redacted = false;  // in the log, since it was imported

  bool operator==(const JpRecord&) const = default;
};

Event MakeJpRecordEvent(const JpRecord& record);

// Puts what a record of the log has had redacted in the place of what `source` has there, which must not come back.
// Gives the names of files and parts that have something new, too: it stays outside.
std::vector<std::string> KeepRedacted(const JpRecord& known, JpRecord& source);

// Nothing if the event is none, or not as MakeJpRecordEvent makes them: names that lead out of a folder, say.
std::optional<JpRecord> ReadJpRecord(const EventView& event);

}  // namespace turnlog
