// Simulates the effect of a power loss on names: a file that was created, renamed or removed may reappear under its old
// name until its folder has been synced. Performs the operations on real files and records how to undo them. One thread
// at a time.
#pragma once

#include <filesystem>
#include <random>
#include <system_error>
#include <vector>

#include "tests/support/temp_dir.h"

namespace turnlog {

using CrashRandom = std::mt19937_64;

// How much of the unsynced changes a power loss loses.
enum class Loss {
  kAll,     // everything
  kRandom,  // a random part, in no order
};

class NameJournal {
 public:
  void Created(const std::filesystem::path& path);  // a file or a folder; the caller has just made it
  std::error_code Rename(const std::filesystem::path& from, const std::filesystem::path& to);
  std::error_code Remove(const std::filesystem::path& path);
  // A rename between two folders lasts when both are synced.
  void SyncDirectory(const std::filesystem::path& directory);

  // Undoes all or a random part of the changes not covered by a SyncDirectory. Later changes of the same name are
  // undone, too, and a folder is undone with its contents.
  std::error_code Crash(CrashRandom& random, Loss loss);

 private:
  struct Change {
    std::filesystem::path from;  // empty for a creation
    std::filesystem::path to;    // empty for a removal
    std::filesystem::path kept;  // backup of the removed or replaced file, if any
    std::vector<std::filesystem::path> unsynced;
  };
  static std::error_code Undo(const Change& change);
  std::filesystem::path PutAside(const std::filesystem::path& path, std::error_code& error);

  TempDir aside_;
  std::uint64_t next_aside_ = 0;
  std::vector<Change> changes_;
};

}  // namespace turnlog
