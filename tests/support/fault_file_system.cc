#include "tests/support/fault_file_system.h"

#include <atomic>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

std::unexpected<Error> Injected(const FaultPlan& plan, std::string_view operation, const std::filesystem::path& path) {
  std::string message(operation);
  message.append(" ").append(path.string()).append(": ").append(plan.message()).append(" (injected)");
  return std::unexpected(Error{ErrorCode::kIo, std::move(message)});
}

Status Step(FaultPlan& plan, std::string_view operation, const std::filesystem::path& path) {
  if (plan.MutationFails(operation, path.string())) return Injected(plan, operation, path);
  return {};
}

class FaultFile final : public File {
 public:
  FaultFile(std::unique_ptr<File> base, FaultPlan& plan, std::filesystem::path path)
      : base_(std::move(base)), plan_(plan), path_(std::move(path)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override {
    if (plan_.ReadFails(path_.string())) return Injected(plan_, "read", path_);
    if (plan_.IsBroken(path_.string(), offset, out.size())) {
      return std::unexpected(Error{ErrorCode::kCorruption, "bad sector in " + path_.string() + " (injected)"});
    }
    return base_->ReadAt(offset, out);
  }

  Status WriteAt(std::uint64_t offset, std::string_view data) override {
    const Status step = Step(plan_, "write", path_);
    if (!step && plan_.mode() == FaultMode::kShortWrite) {
      TURNLOG_TRY(base_->WriteAt(offset, data.substr(0, data.size() / 2)));
    }
    if (!step) return step;
    return base_->WriteAt(offset, data);
  }

  Status Sync() override {
    if (sync_failed_) return {};
    const Status step = Step(plan_, "sync", path_);
    if (!step) sync_failed_ = true;
    return step ? base_->Sync() : step;
  }

  Status Allocate(std::uint64_t size) override {
    TURNLOG_TRY(Step(plan_, "allocate", path_));
    return base_->Allocate(size);
  }

  Status Truncate(std::uint64_t size) override {
    TURNLOG_TRY(Step(plan_, "truncate", path_));
    return base_->Truncate(size);
  }

  Result<std::uint64_t> Size() override { return base_->Size(); }

 private:
  const std::unique_ptr<File> base_;
  FaultPlan& plan_;
  const std::filesystem::path path_;
  std::atomic<bool> sync_failed_ = false;
};

}  // namespace

Result<std::unique_ptr<File>> FaultFileSystem::Open(const std::filesystem::path& path, Access access) {
  if (access == Access::kCreateNew) TURNLOG_TRY(Step(*this, "create", path));
  return std::make_unique<FaultFile>(TURNLOG_TRY(base_.Open(path, access)), *this, path);
}

Status FaultFileSystem::Rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  TURNLOG_TRY(Step(*this, "rename", from));
  return base_.Rename(from, to);
}

Status FaultFileSystem::Remove(const std::filesystem::path& path) {
  TURNLOG_TRY(Step(*this, "remove", path));
  return base_.Remove(path);
}

Status FaultFileSystem::CreateDirectory(const std::filesystem::path& path) {
  TURNLOG_TRY(Step(*this, "create directory", path));
  return base_.CreateDirectory(path);
}

Status FaultFileSystem::SyncDirectory(const std::filesystem::path& path) {
  TURNLOG_TRY(Step(*this, "sync directory", path));
  return base_.SyncDirectory(path);
}

Result<std::vector<std::string>> FaultFileSystem::List(const std::filesystem::path& directory) {
  if (ReadFails(directory.string())) return Injected(*this, "list", directory);
  return base_.List(directory);
}

Result<FileKind> FaultFileSystem::KindOf(const std::filesystem::path& path) {
  if (ReadFails(path.string())) return Injected(*this, "look for", path);
  return base_.KindOf(path);
}

Result<std::unique_ptr<FileLock>> FaultFileSystem::Lock(const std::filesystem::path& path) {
  TURNLOG_TRY(Step(*this, "lock", path));
  return base_.Lock(path);
}

}  // namespace turnlog
