// What is in a folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/format.h"

namespace turnlog {

// Names, each list in order.
struct FolderEntries {
  std::vector<std::string> files, folders, others;  // others: links, pipes, devices
};

// Without what `doctor` has made of files beside them.
Result<FolderEntries> ListEntries(const std::filesystem::path& folder);

// Whether `doctor` has left what the file was, or in a folder one of its files, before it was mended in place.
bool HasBackupOfDoctor(const std::filesystem::path& source);

// The folder beside a file that belongs to it; empty: files of the format have none.
std::string CompanionOf(const Format& format, std::string_view file_name);

}  // namespace turnlog
