// A folder of files in memory: for fuzz targets that read what a store's files may hold.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/file_system.h"

namespace turnlog {

class MemoryFiles final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> Open(const std::filesystem::path& path, Access access) override {
    const auto [known, is_new] = access == Access::kCreateNew
                                     ? files_.try_emplace(path, std::make_shared<std::string>())
                                     : std::pair(files_.find(path), false);
    if (known == files_.end()) return std::unexpected(Error{ErrorCode::kNotFound, path.string()});
    return std::make_unique<MemoryFile>(known->second);
  }
  Status Rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    files_[to] = std::exchange(files_[from], {});
    files_.erase(from);
    return {};
  }
  Status Remove(const std::filesystem::path& path) override { return files_.erase(path), Status(); }
  Status CreateDirectory(const std::filesystem::path&) override { return {}; }
  Status SyncDirectory(const std::filesystem::path&) override { return {}; }
  Result<std::vector<std::string>> List(const std::filesystem::path&) override {
    std::vector<std::string> names;
    for (const auto& [path, bytes] : files_) names.push_back(path.filename().string());
    return names;
  }
  Result<FileKind> KindOf(const std::filesystem::path& path) override {
    return files_.contains(path) ? FileKind::kFile : FileKind::kMissing;
  }
  Result<std::unique_ptr<FileLock>> Lock(const std::filesystem::path&) override { return std::make_unique<FileLock>(); }

 private:
  class MemoryFile final : public File {
   public:
    explicit MemoryFile(std::shared_ptr<std::string> bytes) : bytes_(std::move(bytes)) {}
    Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override {
      return offset >= bytes_->size() ? 0 : bytes_->copy(out.data(), out.size(), offset);
    }
    Status WriteAt(std::uint64_t offset, std::string_view data) override {
      bytes_->resize(std::max<std::size_t>(bytes_->size(), offset + data.size()));
      bytes_->replace(offset, data.size(), data);
      return {};
    }
    Status Sync() override { return {}; }
    Status Allocate(std::uint64_t size) override {
      return bytes_->resize(std::max<std::size_t>(bytes_->size(), size)), Status();
    }
    Status Truncate(std::uint64_t size) override { return bytes_->resize(size), Status(); }
    Result<std::uint64_t> Size() override { return bytes_->size(); }

   private:
    std::shared_ptr<std::string> bytes_;
  };

  std::map<std::filesystem::path, std::shared_ptr<std::string>> files_;
};

}  // namespace turnlog
