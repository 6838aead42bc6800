// Where the mended copies of sessions go.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <span>

#include "turnlog/result.h"

namespace turnlog {

class CopyPaths {
 public:
  // `paths`: those that the user has named. `out`: a folder; empty: copies are beside the files, with kMendedSuffix.
  CopyPaths(std::span<const std::filesystem::path> paths, std::filesystem::path out);

  // This file is a session: no copy may replace it.
  void AddSource(const std::filesystem::path& file);

  // Below `out`, a file has the folders that it has below the last folder around all of the paths; all of them with
  // links resolved. One that is elsewhere, where a link leads to, has none.
  std::filesystem::path Of(const std::filesystem::path& file) const;
  // The same, for this file only. kInvalidArgument: it is a session, or another file has it. Any thread may call it.
  Result<std::filesystem::path> Take(const std::filesystem::path& file);

 private:
  const std::filesystem::path out_;
  std::filesystem::path around_;
  std::set<std::filesystem::path> sources_;
  std::mutex mutex_;
  std::map<std::filesystem::path, std::filesystem::path> taken_;  // the file of each copy
};

}  // namespace turnlog
