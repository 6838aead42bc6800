// What agents leave beside their sessions: histories, pastes, outputs of tools, backups of files, settings, databases.
#pragma once

#include <filesystem>
#include <set>
#include <span>

#include "doctor/found_secrets.h"
#include "migrate/import/find_sources.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {

// The files and folders beside the sessions and around their folders, and the databases that have sessions.
std::set<std::filesystem::path> FindSurroundings(std::span<const FoundSource> sources);

// Searches them for secrets, byte by byte, one report for each. With kReplace, what the tool only keeps for people, and
// is text, is cleaned: histories, pastes, outputs, logs. Settings, credentials and backups of files are used again.
Status SearchSurroundings(const std::set<std::filesystem::path>& paths, const SessionSecrets& secrets,
                          const DoctorOptions& options, DoctorReport& report);

}  // namespace turnlog
