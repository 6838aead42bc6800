// Waits for changes of the files below some folders, without looking at them meanwhile.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "turnlog/result.h"

namespace turnlog {

class FolderWatch {
 public:
  static Result<std::unique_ptr<FolderWatch>> Open();
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  // Watches the folder and those in it, and the folder around it for this name: what is not there yet, or will be
  // removed, may be made. Folders that may not be read are not watched, but it fails if this one is.
  Status Add(const std::filesystem::path& path);
  // The same, and it does not fail for that reason.
  Status AddIfReadable(const std::filesystem::path& path);

  struct Changes {
    std::set<std::filesystem::path> paths;  // written, made, renamed or removed
    bool stopped = false;
    bool lost = false;  // there were too many: anything may have changed
  };
  // The next changes; none at the time `until`, if there is one. `stop`: a descriptor; returns as soon as it can be
  // read.
  Result<Changes> Wait(int stop, std::optional<std::chrono::steady_clock::time_point> until = {});

 private:
  struct Watched {
    std::filesystem::path folder;
    std::set<std::string> only;  // these names; empty: all
  };

  explicit FolderWatch(int fd) : fd_(fd) {}
  Status AddTree(const std::filesystem::path& folder, Changes* changes);
  Status AddFolder(const std::filesystem::path& folder, const std::string& only);
  Status ReadChanges(Changes& changes);

  const int fd_;
  std::map<int, Watched> watched_;  // by the number of the watch
};

}  // namespace turnlog
