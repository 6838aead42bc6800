// What agents leave beside their sessions: histories, pastes, outputs of tools, backups of files, settings, databases.
#pragma once

#include <filesystem>
#include <map>
#include <span>

#include "doctor/earlier_copies.h"
#include "doctor/found_secrets.h"
#include "migrate/sources/find_sources.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {

// What was found, and whether it certainly is a tool's: else it is searched and not changed.
using SearchedPaths = std::map<std::filesystem::path, bool>;

// The files and folders beside the sessions and, if it certainly is the tool's, in the folder around theirs; and the
// databases that have sessions. Of the folders `homes` those that certainly are tools', whether they have sessions or
// not.
// In folders of sessions, also what no source has, although it may be a session: `examined` has what they have.
SearchedPaths FindSurroundings(std::span<const FoundSource> sources, std::span<const std::filesystem::path> homes,
                               const NamesByFolder& examined);

// Searches them for secrets, byte by byte, also for the known ones of sessions, one report for each; symbolic links are
// not followed. With kReplace, what the tool only keeps for people, and is text, is cleaned: histories, pastes,
// outputs, logs. Settings, credentials and backups of files are used again.
Status SearchSurroundings(const SearchedPaths& found, const SessionSecrets& secrets, KnownSecrets& known,
                          const DoctorOptions& options, DoctorReport& report);

}  // namespace turnlog
