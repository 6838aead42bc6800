// A file system that can lose power. It works on real files and records the unsynced changes of each file and folder;
// Crash undoes all of them or a random part.
//
// Rules, as strict as POSIX allows: Sync makes a file's contents and size durable, but not its name; SyncDirectory
// makes names durable, but no contents; a new folder is itself a name in the folder above. Existing files are durable
// when first opened. Nothing is really synced, so it is fast. Locks are lost with the power.
//
// Any thread may call any member, Crash too. Put a FaultFileSystem above it to stop at the n-th operation.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "tests/support/name_journal.h"
#include "tests/support/page_history.h"

namespace turnlog {

class CrashFileSystem final : public FileSystem {
 public:
  explicit CrashFileSystem(FileSystem& base) : base_(base) {}

  // Power off. Every call fails with kIo until Restart, and the files opened before it fail for ever. The same seed
  // and the same operations lose the same things.
  Status Crash(std::uint64_t seed, Loss loss = Loss::kRandom);
  void Restart();

  Result<std::unique_ptr<File>> Open(const std::filesystem::path& path, Access access) override;
  Status Rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  Status Remove(const std::filesystem::path& path) override;
  Status CreateDirectory(const std::filesystem::path& path) override;
  Status SyncDirectory(const std::filesystem::path& path) override;
  Result<std::vector<std::string>> List(const std::filesystem::path& directory) override;
  Result<FileKind> KindOf(const std::filesystem::path& path) override;
  Result<std::unique_ptr<FileLock>> Lock(const std::filesystem::path& path) override;

 private:
  class CrashFile;
  class CrashLock;
  // A file by its inode, whatever its current name.
  struct Node {
    std::shared_ptr<File> file;
    PageHistory history;
    std::uint64_t serial = 0;
    std::size_t handles = 0;
  };

  Status Powered(std::uint64_t boot) const;
  Result<std::shared_ptr<Node>> FindNode(const std::filesystem::path& path, std::uint64_t& number);
  void Forget(std::uint64_t number);

  FileSystem& base_;
  mutable std::mutex mutex_;
  bool on_ = true;
  std::uint64_t boot_ = 0;
  std::uint64_t last_serial_ = 0;
  NameJournal names_;
  std::map<std::uint64_t, std::shared_ptr<Node>> nodes_;  // by inode number; those with handles or unsynced changes
  std::vector<std::weak_ptr<std::unique_ptr<FileLock>>> locks_;
};

}  // namespace turnlog
