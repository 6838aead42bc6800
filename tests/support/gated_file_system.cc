#include "tests/support/gated_file_system.h"

#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

class GatedFile final : public ForwardingFile {
 public:
  GatedFile(GatedFileSystem& gates, std::unique_ptr<File> file) : ForwardingFile(std::move(file)), gates_(gates) {}

  Status WriteAt(std::uint64_t offset, std::string_view data) override {
    TURNLOG_TRY(gates_.writes.Pass());
    return ForwardingFile::WriteAt(offset, data);
  }
  Status Sync() override {
    TURNLOG_TRY(gates_.syncs.Pass());
    return ForwardingFile::Sync();
  }

 private:
  GatedFileSystem& gates_;
};

}  // namespace

void Gate::Close() {
  const std::scoped_lock lock(mutex_);
  open_ = false;
}

void Gate::Open() {
  const std::scoped_lock lock(mutex_);
  open_ = true;
  permits_ = 0;
  changed_.notify_all();
}

void Gate::LetOnePass() {
  const std::scoped_lock lock(mutex_);
  ++permits_;
  changed_.notify_all();
}

void Gate::FailFromNowOn() {
  const std::scoped_lock lock(mutex_);
  fails_ = true;
}

void Gate::AwaitStopped(std::size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ >= count; });
}

std::size_t Gate::passed() const {
  const std::scoped_lock lock(mutex_);
  return passed_;
}

Status Gate::Pass() {
  std::unique_lock lock(mutex_);
  ++stopped_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return open_ || permits_ > 0; });
  --stopped_;
  ++passed_;
  if (!open_) --permits_;
  if (fails_) return std::unexpected(Error{ErrorCode::kIo, "the gate is closed for good: Input/output error"});
  return {};
}

Result<std::unique_ptr<File>> GatedFileSystem::Open(const std::filesystem::path& path, Access access) {
  auto file = TURNLOG_TRY(ForwardingFileSystem::Open(path, access));
  if (path.extension() != ".seg") return file;
  return std::make_unique<GatedFile>(*this, std::move(file));
}

}  // namespace turnlog
