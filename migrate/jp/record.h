// The data of a jp conversation besides its events, as parts of its import record.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/logged/import_record.h"

namespace turnlog {

// All texts are bytes of the source.
struct JpRecord {
  std::string directory;  // name of the conversation's folder
  bool archived = false;
  std::optional<std::string> packed_config;  // the first element of a packed events.json, with its lead
  std::string trailer;                       // text after the last element, if it is not the canonical one
  std::optional<std::string> torn;           // instead: the text after the last element of an array without an end
  std::string history = "events.json";       // the name of the file with the events
  std::map<std::string, std::string> files;  // all others, by name

  bool operator==(const JpRecord&) const = default;
};

// Nothing if the record is of another format, or invalid for jp, e.g. with names that lead out of the folder.
std::optional<JpRecord> ReadJpRecord(const ImportRecord& record);

// The names of the parts, and the contents that are not simply bytes of the source.
inline constexpr std::string_view kJpTrailerPart = "trailer";
inline constexpr std::string_view kJpTornPart = "torn";
inline constexpr std::string_view kJpConfigPart = "base_config";
inline constexpr std::string_view kJpHistoryPart = "history";

// The files that have the events: today's, and that of 2025.
inline constexpr std::string_view kJpEventsFile = "events.json", kJpMessagesFile = "messages.json";
std::string JpFilePart(std::string_view file);
// The first element of a packed events.json, with its lead. In the layout of a file if jp's layout can be reproduced.
std::string JpConfigPart(std::string_view packed_config);

// The configuration in such an element: its `delta`, or in an older layout its other fields; empty if it has none.
std::string ConfigOfDelta(std::string_view packed_config);
// A JSON value as jp writes it to a file of its own.
std::string JpFileLayout(std::string_view json);

// A newer jp moves the configuration into a separate file.
bool IsSameJpPart(std::string_view one, std::string_view other);

}  // namespace turnlog
