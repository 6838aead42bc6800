// An append-only file with group commit: the base of the raw file and the JSON lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "bench/peers/group_commit.h"

namespace turnlog {

class AppendFile {
 public:
  explicit AppendFile(std::filesystem::path path);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  GroupCommit<std::string>& commit() { return commit_; }
  void Sync();

  // Passes the file to `take` window by window. It returns how many bytes it has consumed; the rest is passed again
  // with more bytes after it. `slack` bytes after each window may be read.
  using TakeFn = std::function<std::size_t(std::string_view window)>;
  void ReadAll(std::size_t window_bytes, std::size_t slack, const TakeFn& take) const;

 private:
  void Write(std::string& bytes, bool sync);

  const std::filesystem::path path_;
  const int fd_;
  GroupCommit<std::string> commit_;
};

}  // namespace turnlog
