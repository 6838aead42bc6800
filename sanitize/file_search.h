// Looking through whole files for values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "sanitize/echoes.h"
#include "turnlog/result.h"

namespace turnlog {

struct FileFinds {
  std::uint64_t bytes = 0;             // that were read
  std::vector<std::uint64_t> offsets;  // where something was found, ascending
};

// Reads the file to its end, piece by piece; what lies across the border of two is found, too. `longest`: of the values
// that `finder` looks for. `on_bytes` is told how many have been read. Memory: a few pieces.
Result<FileFinds> SearchFile(const std::filesystem::path& path, const EchoFinder& finder, std::size_t longest,
                             const std::function<void(std::uint64_t)>& on_bytes);

}  // namespace turnlog
