// Replaces a file that other processes may append to, without losing what they append.
//
// The old contents stay under a name that says how many of their bytes the new file has: <file>.<bytes>.before-doctor.
// With `keep_backup` false it is <file>.<bytes>.unredacted.before-doctor: what a killed run leaves is known as such.
// A process that still has the old file open may append to it afterwards; the next call carries such bytes over, if the
// file has JSON lines (.jsonl). Of others, a backup with such bytes is kept.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/text_edits.h"
#include "turnlog/result.h"

namespace turnlog {

inline constexpr std::string_view kBackupSuffix = ".before-doctor";

using OnStep = std::function<void(std::string_view step)>;

struct ReplaceRequest {
  std::filesystem::path path;
  struct stat seen = {};  // of the file before it was read
  std::uint64_t idle_seconds = 0;
  bool keep_backup = true;
  std::chrono::milliseconds patience{200};  // to wait for a process that has opened the old file meanwhile
  std::function<Status(const WriteBytes& write)> contents;  // writes the new ones
  OnStep on_step;
};

struct ReplaceOutcome {
  std::optional<Error> problem;  // what failed after it was replaced; kBusy: the old file may get more bytes
  std::filesystem::path backup;  // empty: none is kept
  std::uint64_t carried_over = 0;
};

// An error: it was not replaced. kBusy: because it is in use.
Result<ReplaceOutcome> ReplaceFile(const ReplaceRequest& replacement);

// Appends to a file of JSON lines what was appended to its backups since it was replaced. Returns the number of bytes.
Result<std::uint64_t> CarryOver(const std::filesystem::path& path, const OnStep& on_step);
// How many bytes of its backups it does not have.
std::uint64_t CountLateBytes(const std::filesystem::path& path);

}  // namespace turnlog
