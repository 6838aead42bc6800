// Sources that were being written when they were looked at, and wait until nothing was written for a while.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "migrate/sources/file_stamp.h"
#include "migrate/sources/source.h"

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
  // Of its files, in their order.
  using Stamps = Result<std::vector<FileStamp>>;
  static Stamps StampsOf(const Source& source);
  // `stamps`: before it was looked at, which took so long.
  void Add(const Source& source, const Stamps& stamps, Clock::duration took);
  // Whether the file still ends in the line that it ended in when it was added, and no other file of the source has
  // changed: then nothing of that line has to be read once more, and if it has grown it waits again. Counts what it
  // reads.
  bool IsInSameLine(const Source& source, std::uint64_t& bytes_read);

 private:
  using Due = std::map<std::filesystem::path, Clock::time_point>;
  // A file whose last line has no end yet, as far as it was looked at.
  struct Unfinished {
    std::vector<FileStamp> seen;  // it, and then the other files of its source
    Clock::duration quiet;
  };

  static bool HasSameOthers(const Source& source, const std::vector<FileStamp>& seen);
  static bool GoesOnInLine(const std::filesystem::path& path, FileStamp& seen, std::uint64_t& bytes_read);

  mutable std::mutex mutex_;
  Due due_;
  std::map<std::filesystem::path, Unfinished> unfinished_;  // of these
};

}  // namespace turnlog
