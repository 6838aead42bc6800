// The file that standard output goes to: a command must not write into what it reads.
#pragma once

#include <filesystem>
#include <optional>

namespace turnlog {

// Nothing if it is a pipe, a terminal or a device.
std::optional<std::filesystem::path> FindOutputFile();

// Whether `path` is the file, or a folder around it.
bool Holds(const std::filesystem::path& path, const std::filesystem::path& file);

}  // namespace turnlog
