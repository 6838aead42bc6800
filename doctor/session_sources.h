// The sessions at the paths that a user has named, and in the folders that agent tools have there.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "migrate/sources/find_sources.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {

struct SessionSources {
  std::vector<FoundSource> sources;
  std::vector<std::filesystem::path> homes;  // what was named, and the folders of tools there
};

// Each once, whatever its names. In a user's home, the folders of the tools are searched (ToolHomesOf). Adds what
// cannot be read to the problems of the report, and hidden folders that were not searched to its notes.
SessionSources FindSessionSources(std::span<const std::filesystem::path> paths, DoctorReport& report);

}  // namespace turnlog
