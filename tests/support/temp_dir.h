// A folder for one test, removed at its end.
#pragma once

#include <filesystem>

namespace turnlog {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Keeps temporary files of this process in memory from now on, if the system supports it: for tests that sync thousands
// of times and do not need a real disk. Does nothing if TMPDIR is set.
void KeepTemporaryFilesInMemory();

}  // namespace turnlog
