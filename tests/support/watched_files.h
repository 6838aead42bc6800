// Files of the system that tell which parts of a store's segments are read and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "tests/support/forwarding_file_system.h"

namespace turnlog {

class WatchedFiles final : public ForwardingFileSystem {
 public:
  // Called before each read; true: what it reads is inverted.
  std::function<bool(std::uint64_t offset, std::size_t size)> on_read;
  std::function<void(std::size_t size)> on_write;  // called after each write

  Result<std::unique_ptr<File>> Open(const std::filesystem::path& path, Access access) override {
    auto file = ForwardingFileSystem::Open(path, access);
    if (!file || path.extension() != ".seg") return file;
    return std::make_unique<WatchedFile>(*this, *std::move(file));
  }

 private:
  class WatchedFile final : public ForwardingFile {
   public:
    WatchedFile(const WatchedFiles& files, std::unique_ptr<File> file)
        : ForwardingFile(std::move(file)), files_(files) {}

    Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override {
      const bool torn = files_.on_read && files_.on_read(offset, out.size());
      auto got = ForwardingFile::ReadAt(offset, out);
      if (torn && got) {
        for (char& byte : out.first(*got)) byte = static_cast<char>(~byte);
      }
      return got;
    }
    Status WriteAt(std::uint64_t offset, std::string_view data) override {
      const Status written = ForwardingFile::WriteAt(offset, data);
      if (files_.on_write) files_.on_write(data.size());
      return written;
    }

   private:
    const WatchedFiles& files_;
  };
};

}  // namespace turnlog
