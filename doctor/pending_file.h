// A file that is written under a temporary name and appears complete, or not at all.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "turnlog/result.h"

namespace turnlog {

class PendingFile {
 public:
  // Removes what was written unless it was given its name.
  ~PendingFile();
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;

  // In the folder of `path`.
  static Result<PendingFile> Create(const std::filesystem::path& path);
  Status Append(std::string_view bytes);
  // What is written; it may be written by others, too.
  const std::filesystem::path& temporary() const { return temporary_; }
  // Gives it the permissions and the time of another file, because tools list sessions by time. Durable afterwards.
  Status Complete(const struct stat& like);
  // Replaces what has the name. Durable afterwards. An error may come after it has got the name: then it may not be
  // durable.
  Status Rename();
  bool has_name() const { return temporary_.empty(); }

 private:
  PendingFile(int fd, std::filesystem::path path, std::filesystem::path temporary)
      : fd_(fd), path_(std::move(path)), temporary_(std::move(temporary)) {}

  int fd_;
  std::filesystem::path path_, temporary_;
};

}  // namespace turnlog
