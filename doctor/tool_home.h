// The folder in which an agent tool keeps its sessions and everything else of its own.
#pragma once

#include <filesystem>
#include <string_view>

namespace turnlog {

// The folder in the tool's home that has the sessions, by the names of the folders from that of a session upwards;
// empty: the session is elsewhere. `format`: of the session.
std::filesystem::path FindSessionsFolder(std::string_view format, const std::filesystem::path& folder);

// Whether it certainly is the tool's home: names of folders inside say too little. `home`: canonical.
bool IsToolHome(std::string_view format, const std::filesystem::path& home);

}  // namespace turnlog
