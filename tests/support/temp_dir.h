// A folder of its own for one test, gone when the test is over.
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

// Temporary files of this process are in memory from now on, where the system has a place for that: for tests that sync
// thousands of times and do not need a disk to do it on. Does nothing if TMPDIR says where they shall be.
void KeepTemporaryFilesInMemory();

}  // namespace turnlog
