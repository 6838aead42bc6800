// What a jp conversation has beside its events, as parts of the record of its import.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/import/import_record.h"

namespace turnlog {

// All texts are bytes as they stood in the source.
struct JpRecord {
  std::string directory;  // name of the conversation's folder
  bool archived = false;
  std::optional<std::string> packed_config;  // the first element of a packed events.json, with its lead
  std::string trailer;                       // behind the last element, if it is not what jp writes
  std::map<std::string, std::string> files;  // all but events.json, by name

  bool operator==(const JpRecord&) const = default;
};

// Nothing if the record is of another format, or holds what no folder of jp can: names that lead out of it, say.
std::optional<JpRecord> ReadJpRecord(const ImportRecord& record);

// The names of the parts, and their contents where they are not simply bytes of the source.
inline constexpr std::string_view kJpTrailerPart = "trailer";
inline constexpr std::string_view kJpConfigPart = "base_config";
std::string JpFilePart(std::string_view file);
// The first element of a packed events.json, with its lead. Laid out like a file if jp's layout can be made again.
std::string JpConfigPart(std::string_view packed_config);

// A newer jp moves the configuration into a file of its own.
bool IsSameJpPart(std::string_view one, std::string_view other);

}  // namespace turnlog
