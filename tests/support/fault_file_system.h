// A file system whose n-th operation fails.
//
// Mutating operations are "write", "sync", "allocate", "truncate", "rename", "remove", "create", "create directory",
// "sync directory" and "lock"; they are counted together, in the order in which they happen. A file whose Sync has
// failed once behaves like Linux: a second Sync claims success and does nothing, so that a caller who tries again and
// believes it is found out (put a CrashFileSystem below to see the data lost).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "tests/support/fault_plan.h"

namespace turnlog {

class FaultFileSystem final : public FileSystem, public FaultPlan {
 public:
  explicit FaultFileSystem(FileSystem& base) : base_(base) {}

  Result<std::unique_ptr<File>> Open(const std::filesystem::path& path, Access access) override;
  Status Rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  Status Remove(const std::filesystem::path& path) override;
  Status CreateDirectory(const std::filesystem::path& path) override;
  Status SyncDirectory(const std::filesystem::path& path) override;
  Result<std::vector<std::string>> List(const std::filesystem::path& directory) override;
  Result<FileKind> KindOf(const std::filesystem::path& path) override;
  Result<std::unique_ptr<FileLock>> Lock(const std::filesystem::path& path) override;

 private:
  FileSystem& base_;
};

}  // namespace turnlog
