// Where the mended copies of sessions go.
#pragma once

#include <filesystem>
#include <span>

namespace turnlog {

class CopyPaths {
 public:
  // `paths`: those that the user has named. `out`: a folder; empty: copies are beside the files, with kMendedSuffix.
  CopyPaths(std::span<const std::filesystem::path> paths, std::filesystem::path out);

  // Below `out`, a file has the folders that it has below the last folder around all of the paths: no two have one
  // copy.
  std::filesystem::path Of(const std::filesystem::path& file) const;

 private:
  const std::filesystem::path out_;
  std::filesystem::path around_;
};

}  // namespace turnlog
