// The data of a jp conversation besides its events, as parts of its import record.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/import/import_record.h"

namespace turnlog {

// All texts are bytes of the source.
struct JpRecord {
  std::string directory;  // name of the conversation's folder
  bool archived = false;
  std::optional<std::string> packed_config;  // the first element of a packed events.json, with its lead
  std::string trailer;                       // text after the last element, if it is not the canonical one
  std::map<std::string, std::string> files;  // all but events.json, by name

  bool operator==(const JpRecord&) const = default;
};

// Nothing if the record is of another format, or invalid for jp, e.g. with names that lead out of the folder.
std::optional<JpRecord> ReadJpRecord(const ImportRecord& record);

// The names of the parts, and the contents that are not simply bytes of the source.
inline constexpr std::string_view kJpTrailerPart = "trailer";
inline constexpr std::string_view kJpConfigPart = "base_config";
std::string JpFilePart(std::string_view file);
// The first element of a packed events.json, with its lead. In the layout of a file if jp's layout can be reproduced.
std::string JpConfigPart(std::string_view packed_config);

// A newer jp moves the configuration into a separate file.
bool IsSameJpPart(std::string_view one, std::string_view other);

}  // namespace turnlog
