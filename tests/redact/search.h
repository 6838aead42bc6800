// Looking for values with programs that are not ours.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnlog {

// What the command writes to its standard output.
std::string Shell(const std::string& command);
std::string Base64(std::string_view text);
// Which files below the folder hold the value, plain or in base64 at whatever offset, says grep.
std::vector<std::string> FilesWith(const std::filesystem::path& folder, std::string_view value);
// Names and contents.
std::vector<std::pair<std::string, std::string>> AllFiles(const std::filesystem::path& folder);

}  // namespace turnlog
