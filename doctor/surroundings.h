// What agents leave beside their sessions: histories, pastes, backups of files, settings, logs, databases.
#pragma once

#include <span>

#include "migrate/import/find_sources.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {

// Searches it for secrets, byte by byte, and changes nothing: one report for each file or folder that is beside the
// folder of the sessions, and for the long outputs of tools within that.
Status SearchSurroundings(std::span<const FoundSource> sources, unsigned jobs, DoctorReport& report);

}  // namespace turnlog
