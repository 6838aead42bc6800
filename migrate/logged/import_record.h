// The import record: the event of kind `import` before the imported events. docs/formats/import.md has its JSON
// form.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// All texts are bytes of the source.
struct ImportRecord {
  std::string format;
  std::string source;                        // name of the file or folder
  std::uint64_t events = 0;                  // of this import: those after it, except `repair` and `redaction`
  std::string fingerprint;                   // of the whole source; empty: always compare
  bool redacted = false;                     // some texts are redacted
  std::set<std::string> redacted_parts;      // the names of parts that are; in older records only the mark shows them
  std::uint64_t revisions = 0;               // of records, in this import and those before (records/record_revision.h)
  std::map<std::string, std::string> parts;  // data of the source besides its events; the format defines the names
  std::set<std::string> same_parts;          // the names of others, which are those of the record before

  bool HasPart(std::string_view name) const { return parts.contains(std::string(name)); }
  // Empty if there is none. Valid as long as the record is not changed.
  std::string_view Part(std::string_view name) const;

  bool operator==(const ImportRecord&) const = default;
};

// The part that names the conversation that this one belongs to, as a subagent's.
inline constexpr std::string_view kParentPart = "parent";
// The part that says what the records of a source are, where its format has several kinds of them: those of one kind
// are not recognised among those of another one.
inline constexpr std::string_view kLayoutPart = "layout";
// Whether both say so, and not the same.
bool HaveOtherLayouts(const ImportRecord& one, const ImportRecord& other);

// Leaves out the long parts that are the same in the record before; TakeSameParts adds them again.
void LeaveOutSameParts(const ImportRecord& before, ImportRecord& record);
void TakeSameParts(ImportRecord&& before, ImportRecord& record);

Event MakeImportEvent(const ImportRecord& record);

// Nothing if the event is not a valid import record. Also reads those of older versions.
std::optional<ImportRecord> ReadImportEvent(const EventView& event);

}  // namespace turnlog
