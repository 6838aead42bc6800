// What a power loss does to names: a file that was created, renamed or removed may be found under its old name until
// its folder has been synced. Performs these operations on real files and remembers how to take each of them back.
// One thread at a time.
#pragma once

#include <filesystem>
#include <random>
#include <system_error>
#include <vector>

#include "tests/support/temp_dir.h"

namespace turnlog {

using CrashRandom = std::mt19937_64;

// What is lost at a power loss of what was not synced.
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

  // Takes back all or a random part of what no SyncDirectory covered. What was done to a name after something that is
  // taken back is taken back too, and a folder goes with all that is in it.
  std::error_code Crash(CrashRandom& random, Loss loss);

 private:
  struct Change {
    std::filesystem::path from;  // empty for a creation
    std::filesystem::path to;    // empty for a removal
    std::filesystem::path kept;  // where the file that was removed or replaced waits, if there was one
    std::vector<std::filesystem::path> unsynced;
  };
  static std::error_code Undo(const Change& change);
  std::filesystem::path PutAside(const std::filesystem::path& path, std::error_code& error);

  TempDir aside_;
  std::uint64_t next_aside_ = 0;
  std::vector<Change> changes_;
};

}  // namespace turnlog
