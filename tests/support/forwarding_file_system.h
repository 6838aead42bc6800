// Files that are those of another file system in every respect: a double overrides what it does differently.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_system.h"

namespace turnlog {

class ForwardingFile : public File {
 public:
  explicit ForwardingFile(std::unique_ptr<File> file) : file_(std::move(file)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override { return file_->ReadAt(offset, out); }
  Status WriteAt(std::uint64_t offset, std::string_view data) override { return file_->WriteAt(offset, data); }
  Status Sync() override { return file_->Sync(); }
  Status Allocate(std::uint64_t size) override { return file_->Allocate(size); }
  Status Truncate(std::uint64_t size) override { return file_->Truncate(size); }
  Result<std::uint64_t> Size() override { return file_->Size(); }

 private:
  const std::unique_ptr<File> file_;
};

class ForwardingFileSystem : public FileSystem {
 public:
  explicit ForwardingFileSystem(FileSystem& files = PosixFileSystem()) : files_(files) {}

  Result<std::unique_ptr<File>> Open(const std::filesystem::path& path, Access access) override {
    return files_.Open(path, access);
  }
  Status Rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    return files_.Rename(from, to);
  }
  Status Remove(const std::filesystem::path& path) override { return files_.Remove(path); }
  Status CreateDirectory(const std::filesystem::path& path) override { return files_.CreateDirectory(path); }
  Status SyncDirectory(const std::filesystem::path& path) override { return files_.SyncDirectory(path); }
  Result<std::vector<std::string>> List(const std::filesystem::path& path) override { return files_.List(path); }
  Result<FileKind> KindOf(const std::filesystem::path& path) override { return files_.KindOf(path); }
  Result<std::unique_ptr<FileLock>> Lock(const std::filesystem::path& path) override { return files_.Lock(path); }

 private:
  FileSystem& files_;
};

}  // namespace turnlog
