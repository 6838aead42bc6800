#include "tests/support/crash_file_system.h"

#include <sys/stat.h>

#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

std::unexpected<Error> Failed(std::string message, ErrorCode code = ErrorCode::kIo) {
  return std::unexpected(Error{code, std::move(message)});
}

Status Check(std::string_view operation, const std::filesystem::path& path, const std::error_code& error) {
  if (!error) return {};
  const bool missing = error == std::errc::no_such_file_or_directory;
  return Failed(std::string(operation) + " " + path.string() + ": " + error.message(),
                missing ? ErrorCode::kNotFound : ErrorCode::kIo);
}

}  // namespace

class CrashFileSystem::CrashFile final : public File {
 public:
  CrashFile(CrashFileSystem& fs, std::unique_ptr<File> file) : fs_(fs), boot_(fs.boot_), file_(std::move(file)) {}
  CrashFile(CrashFileSystem& fs, std::shared_ptr<Node> node, std::uint64_t number)
      : fs_(fs), boot_(fs.boot_), file_(node->file), node_(std::move(node)), number_(number) {
    ++node_->handles;
  }

  ~CrashFile() override {
    if (node_ == nullptr) return;
    const std::lock_guard lock(fs_.mutex_);
    --node_->handles;
    if (boot_ == fs_.boot_) fs_.Forget(number_);
  }
  CrashFile(const CrashFile&) = delete;
  CrashFile& operator=(const CrashFile&) = delete;

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override {
    const std::lock_guard lock(fs_.mutex_);
    TURNLOG_TRY(fs_.Powered(boot_));
    return file_->ReadAt(offset, out);
  }

  Status WriteAt(std::uint64_t offset, std::string_view data) override {
    const std::lock_guard lock(fs_.mutex_);
    TURNLOG_TRY(Writable());
    TURNLOG_TRY(node_->history.WillWrite(offset, data.size()));
    return file_->WriteAt(offset, data);
  }

  Status Sync() override {
    const std::lock_guard lock(fs_.mutex_);
    TURNLOG_TRY(fs_.Powered(boot_));
    if (node_ != nullptr) node_->history.Synced();
    return {};
  }

  Status Allocate(std::uint64_t size) override {
    const std::lock_guard lock(fs_.mutex_);
    TURNLOG_TRY(Writable());
    TURNLOG_TRY(node_->history.WillExtend());
    return file_->Allocate(size);
  }

  Status Truncate(std::uint64_t size) override {
    const std::lock_guard lock(fs_.mutex_);
    TURNLOG_TRY(Writable());
    TURNLOG_TRY(node_->history.WillTruncate(size));
    return file_->Truncate(size);
  }

  Result<std::uint64_t> Size() override {
    const std::lock_guard lock(fs_.mutex_);
    TURNLOG_TRY(fs_.Powered(boot_));
    return file_->Size();
  }

 private:
  Status Writable() const {
    TURNLOG_TRY(fs_.Powered(boot_));
    if (node_ == nullptr) return Failed("the file is open for reading only");
    return {};
  }

  CrashFileSystem& fs_;
  const std::uint64_t boot_;
  const std::shared_ptr<File> file_;
  const std::shared_ptr<Node> node_;  // null: opened for reading
  const std::uint64_t number_ = 0;
};

class CrashFileSystem::CrashLock final : public FileLock {
 public:
  explicit CrashLock(std::shared_ptr<std::unique_ptr<FileLock>> held) : held_(std::move(held)) {}

 private:
  const std::shared_ptr<std::unique_ptr<FileLock>> held_;
};

Status CrashFileSystem::Crash(std::uint64_t seed, Loss loss) {
  const std::lock_guard lock(mutex_);
  on_ = false;
  ++boot_;
  for (const auto& weak : locks_) {
    if (const auto held = weak.lock()) held->reset();
  }
  locks_.clear();
  for (const auto& [number, node] : nodes_) {
    CrashRandom random(seed ^ (node->serial * 0x9E3779B97F4A7C15));  // inode numbers differ from run to run
    TURNLOG_TRY(node->history.Crash(random, loss));
  }
  nodes_.clear();
  CrashRandom random(seed);
  return Check("crash", "", names_.Crash(random, loss));
}

void CrashFileSystem::Restart() {
  const std::lock_guard lock(mutex_);
  on_ = true;
}

Result<std::unique_ptr<File>> CrashFileSystem::Open(const std::filesystem::path& path, Access access) {
  const std::lock_guard lock(mutex_);
  TURNLOG_TRY(Powered(boot_));
  if (access == Access::kRead) return std::make_unique<CrashFile>(*this, TURNLOG_TRY(base_.Open(path, access)));
  if (access == Access::kCreateNew) {
    TURNLOG_TRY(base_.Open(path, access));
    names_.Created(path);
  }
  std::uint64_t number = 0;
  auto node = TURNLOG_TRY(FindNode(path, number));
  return std::make_unique<CrashFile>(*this, std::move(node), number);
}

Result<std::shared_ptr<CrashFileSystem::Node>> CrashFileSystem::FindNode(const std::filesystem::path& path,
                                                                         std::uint64_t& number) {
  std::shared_ptr<File> file = TURNLOG_TRY(base_.Open(path, Access::kWrite));
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return Failed("stat " + path.string());
  number = found.st_ino;
  auto& node = nodes_[number];
  if (node == nullptr) node = std::make_shared<Node>(file, PageHistory(file), ++last_serial_);
  return node;
}

void CrashFileSystem::Forget(std::uint64_t number) {
  const auto found = nodes_.find(number);
  if (found == nodes_.end()) return;
  if (found->second->handles == 0 && found->second->history.clean()) nodes_.erase(found);
}

Status CrashFileSystem::Rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  const std::lock_guard lock(mutex_);
  TURNLOG_TRY(Powered(boot_));
  return Check("rename", from, names_.Rename(from, to));
}

Status CrashFileSystem::Remove(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  TURNLOG_TRY(Powered(boot_));
  return Check("remove", path, names_.Remove(path));
}

Status CrashFileSystem::CreateDirectory(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  TURNLOG_TRY(Powered(boot_));
  if (TURNLOG_TRY(Exists(base_, path))) return base_.CreateDirectory(path);
  TURNLOG_TRY(base_.CreateDirectory(path));
  names_.Created(path);
  return {};
}

Status CrashFileSystem::SyncDirectory(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  TURNLOG_TRY(Powered(boot_));
  if (!TURNLOG_TRY(Exists(base_, path))) return Failed("sync directory " + path.string() + ": it does not exist");
  names_.SyncDirectory(path);
  return {};
}

Result<std::vector<std::string>> CrashFileSystem::List(const std::filesystem::path& directory) {
  const std::lock_guard lock(mutex_);
  TURNLOG_TRY(Powered(boot_));
  return base_.List(directory);
}

Result<FileKind> CrashFileSystem::KindOf(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  TURNLOG_TRY(Powered(boot_));
  return base_.KindOf(path);
}

Result<std::unique_ptr<FileLock>> CrashFileSystem::Lock(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  TURNLOG_TRY(Powered(boot_));
  auto held = std::make_shared<std::unique_ptr<FileLock>>(TURNLOG_TRY(base_.Lock(path)));
  locks_.push_back(held);
  return std::make_unique<CrashLock>(std::move(held));
}

Status CrashFileSystem::Powered(std::uint64_t boot) const {
  if (on_ && boot == boot_) return {};
  return Failed("the power is off");
}

}  // namespace turnlog
