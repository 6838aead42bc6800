// The folder in which an agent tool keeps its sessions and everything else of its own.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace turnlog {

// The folder in the tool's home that has the sessions, by the names of the folders from that of a session upwards;
// empty: the session is elsewhere. `format`: of the session.
std::filesystem::path FindSessionsFolder(std::string_view format, const std::filesystem::path& folder);

// Whether it certainly is the tool's home: names of folders inside say too little. `home`: canonical.
bool IsToolHome(std::string_view format, const std::filesystem::path& home);

// The tool, as a format, of which it certainly is the home; empty: of none.
std::string_view ToolOfHome(const std::filesystem::path& home);

// What the tool keeps elsewhere: files and folders that exist. `home`: certainly the tool's.
std::vector<std::filesystem::path> OutsideToolHome(std::string_view format, const std::filesystem::path& home);

// The folders that tools have in that of a user; for the home of this user, also those that variables of the
// environment name. Most are hidden.
std::vector<std::filesystem::path> ToolHomesOf(const std::filesystem::path& users);

}  // namespace turnlog
