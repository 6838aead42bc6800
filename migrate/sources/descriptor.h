// Files of the operating system as importers use them.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "migrate/sources/byte_source.h"

namespace turnlog {

// The error that the system gives now, of an attempt to `what` the file.
std::unexpected<Error> FileError(std::string_view what, const std::filesystem::path& path, int error);

class Descriptor final : public ByteSource {
 public:
  // Takes `fd`; `path` is for messages.
  Descriptor(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}
  ~Descriptor() override;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override;
  // Reads the next bytes of a file without offsets; 0 at the end.
  Result<std::size_t> ReadNext(std::span<char> out) const;
  // For a pipe without a writer: waits until one writes to it. False if there is none for some seconds.
  bool AwaitWriter() const;
  Status Append(std::string_view data) const;
  bool CanSeek() const;
  bool IsTerminal() const;
  Result<struct stat> Stat() const;
  int fd() const { return fd_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  int fd_;
  std::filesystem::path path_;
};

// An empty file for a copy of `source`. No other process can open it, and it disappears with this process.
Result<std::unique_ptr<Descriptor>> OpenUnnamed(const std::filesystem::path& source);

}  // namespace turnlog
