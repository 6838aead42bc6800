// Sources that were being written when they were looked at, and wait until nothing was written for a while.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "migrate/sources/file_stamp.h"

namespace turnlog {

// Any thread may use it. All paths that it returns are by NormalizedPath.
class PostponedSources {
 public:
  using Clock = std::chrono::steady_clock;
  // A line that is being written, or a title that is about to change, is appended when nothing was written for so long.
  static constexpr std::chrono::milliseconds kQuiet{1000};

  // When one has to be imported at the latest; nothing: none waits.
  std::optional<Clock::time_point> NextDue() const;
  // Those that are due, or all that wait.
  std::vector<std::filesystem::path> TakeDue(bool all);
  // `stamp`: of the file before it was looked at, which took so long.
  void Add(const std::filesystem::path& path, const Result<FileStamp>& stamp, Clock::duration took);
  // Whether the file goes on within the line that it ended in when it was added: then it waits again, and nothing of
  // that line has to be read once more.
  bool IsInSameLine(const std::filesystem::path& path);

 private:
  using Due = std::map<std::filesystem::path, Clock::time_point>;
  // A file whose last line has no end yet, as far as it was looked at.
  struct Unfinished {
    FileStamp seen;
    Clock::duration quiet;
  };

  static bool GoesOnInLine(const std::filesystem::path& path, FileStamp& seen);

  mutable std::mutex mutex_;
  Due due_;
  std::map<std::filesystem::path, Unfinished> unfinished_;  // of these
};

}  // namespace turnlog
