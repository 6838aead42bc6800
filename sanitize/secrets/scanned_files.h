// Lists the files below some paths.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "turnlog/redaction/secret_scan.h"

namespace turnlog {

struct ScannedFile {
  std::filesystem::path path;
  std::uint64_t size = 0;
};

// Regular files in order, those of a folder by name. Skips links and devices within a folder; a path that is one, or
// cannot be read, is a problem.
std::vector<ScannedFile> ListFiles(std::span<const std::filesystem::path> paths,
                                   std::vector<SecretScanProblem>& problems);

}  // namespace turnlog
