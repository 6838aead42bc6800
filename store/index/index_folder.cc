#include "store/index/index_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "store/index/index_base.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCurrent = "CURRENT";  // written by RocksDB's last step of creating a database

Status RequireFolder(FileSystem& files, const fs::path& folder) {
  const FileKind kind = TURNLOG_TRY(files.KindOf(folder));
  if (kind == FileKind::kFolder) return {};
  if (kind == FileKind::kMissing) {
    return std::unexpected(Error{ErrorCode::kNotFound, fmt::format("there is no folder {}", folder.string())});
  }
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument, fmt::format("{} is {}, not a folder", folder.string(), ToString(kind))});
}

rocksdb::Status Swap(rocksdb::FileSystem& files, const fs::path& folder, const fs::path& fresh, const fs::path& aside) {
  rocksdb::Status status = SyncFolder(files, fresh);
  if (status.ok()) status = SyncFolder(files, folder.parent_path());
  if (status.ok()) status = files.RenameFile(folder.string(), aside.string(), {}, nullptr);
  if (!status.ok()) return status;
  status = files.RenameFile(fresh.string(), folder.string(), {}, nullptr);
  if (status.ok()) return SyncFolder(files, folder.parent_path());
  (void)files.RenameFile(aside.string(), folder.string(), {}, nullptr);  // report the first failure
  return status;
}

}  // namespace

rocksdb::Env* EnvOf(const Environment& environment) {
  return environment.index != nullptr ? environment.index : rocksdb::Env::Default();
}

std::unexpected<Error> Translate(const rocksdb::Status& status, const IndexFiles& files) {
  const std::string refusal = files.refusal();
  ErrorCode code = ErrorCode::kIo;
  if (status.IsPathNotFound() || status.IsNotFound()) code = ErrorCode::kNotFound;
  if (status.IsCorruption() || status.IsInvalidArgument() || status.IsNotSupported()) code = ErrorCode::kCorruption;
  if (!refusal.empty()) code = ErrorCode::kIo;
  return std::unexpected(Error{code, fmt::format("index: {}", refusal.empty() ? status.ToString() : refusal)});
}

// RocksDB would follow links out of the store, and wait for a FIFO for ever.
Status CheckIndexFolder(FileSystem& files, const fs::path& folder) {
  TURNLOG_TRY(RequireFolder(files, folder));
  for (const std::string& name : TURNLOG_TRY(files.List(folder))) {
    const FileKind kind = TURNLOG_TRY(files.KindOf(folder / name));
    if (kind == FileKind::kFile || kind == FileKind::kFolder || kind == FileKind::kMissing) continue;
    return std::unexpected(
        Error{ErrorCode::kIo, fmt::format("{} is {}, not a regular file", (folder / name).string(), ToString(kind))});
  }
  if (TURNLOG_TRY(Exists(files, folder / kCurrent))) return {};
  return std::unexpected(Error{ErrorCode::kNotFound, fmt::format("the index at {} is unfinished", folder.string())});
}

rocksdb::Status MakeIndexFolder(rocksdb::FileSystem& files, const fs::path& folder) {
  rocksdb::Status status = files.CreateDirIfMissing(folder.string(), {}, nullptr);
  if (status.ok()) (void)::chmod(folder.c_str(), 0700);
  return status.ok() ? SyncFolder(files, folder.parent_path()) : status;
}

rocksdb::Status SyncFolder(rocksdb::FileSystem& files, const fs::path& folder) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  rocksdb::Status status = files.NewDirectory(folder.string(), {}, &directory, nullptr);
  return status.ok() ? directory->Fsync({}, nullptr) : status;
}

Status IndexBase::Remove(const fs::path& folder, const Environment& environment) {
  if (!TURNLOG_TRY(Exists(*environment.files, folder))) return {};
  TURNLOG_TRY(RequireFolder(*environment.files, folder));
  std::vector<std::string> names = TURNLOG_TRY(environment.files->List(folder));
  std::ranges::partition(names, [](const std::string& name) { return name == kCurrent; });
  IndexFiles files(EnvOf(environment)->GetFileSystem());
  for (const std::string& name : names) {
    const rocksdb::Status status = files.DeleteFile((folder / name).string(), {}, nullptr);
    if (!status.ok()) return Translate(status, files);
  }
  const rocksdb::Status status = files.DeleteDir(folder.string(), {}, nullptr);
  if (!status.ok()) return Translate(status, files);
  return {};
}

Status IndexBase::Replace(const fs::path& folder, const fs::path& fresh, const fs::path& aside,
                          const Environment& environment) {
  IndexFiles files(EnvOf(environment)->GetFileSystem());
  if (const rocksdb::Status status = Swap(files, folder, fresh, aside); !status.ok()) return Translate(status, files);
  (void)Remove(aside, environment);  // the next writer removes any remains
  return {};
}

Status IndexBase::Restore(const fs::path& folder, const fs::path& aside, const Environment& environment) {
  if (TURNLOG_TRY(Exists(*environment.files, folder)) || !TURNLOG_TRY(Exists(*environment.files, aside))) return {};
  IndexFiles files(EnvOf(environment)->GetFileSystem());
  rocksdb::Status status = files.RenameFile(aside.string(), folder.string(), {}, nullptr);
  if (status.ok()) status = SyncFolder(files, folder.parent_path());
  if (!status.ok()) return Translate(status, files);
  return {};
}

}  // namespace turnlog
