// What doctor has left beside files: backups, mended copies, and what a killed run was writing.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>

#include "migrate/sources/find_sources.h"

namespace turnlog {

using NamesByFolder = std::map<std::filesystem::path, std::set<std::string>>;

// The files that sources have, by their folders.
NamesByFolder NamesOfFiles(std::span<const FoundSource> sources);

// <file>.*before-doctor, <file>*.mended and .<file>.new, of each of the files.
std::set<std::filesystem::path> FindEarlierCopies(const NamesByFolder& files);

}  // namespace turnlog
