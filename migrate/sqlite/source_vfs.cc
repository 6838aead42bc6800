#include "migrate/sqlite/source_vfs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/try.h"
#include "migrate/sqlite/damaged_page.h"

namespace turnlog {
namespace {

// What SQLite asks for and a reader does not need.
int Close(sqlite3_file* /*file*/) { return SQLITE_OK; }
int Write(sqlite3_file* /*file*/, const void* /*from*/, int /*size*/, sqlite3_int64 /*offset*/) {
  return SQLITE_READONLY;
}
int Truncate(sqlite3_file* /*file*/, sqlite3_int64 /*size*/) { return SQLITE_READONLY; }
int Sync(sqlite3_file* /*file*/, int /*flags*/) { return SQLITE_OK; }
int Lock(sqlite3_file* /*file*/, int /*level*/) { return SQLITE_OK; }
int CheckReservedLock(sqlite3_file* /*file*/, int* result) { return *result = 0, SQLITE_OK; }
int FileControl(sqlite3_file* /*file*/, int /*operation*/, void* /*argument*/) { return SQLITE_NOTFOUND; }
int SectorSize(sqlite3_file* /*file*/) { return 0; }
int DeviceCharacteristics(sqlite3_file* /*file*/) { return 0; }

constexpr int kLeastPage = 512;
constexpr std::size_t kFileHeader = 100;

}  // namespace

struct SourceVfs::Handle {
  sqlite3_file base;
  SourceVfs* vfs;
  SourceFile* file;
};

SourceVfs::SourceVfs(Source& source) : source_(source), name_(fmt::format("turnlog-{}", fmt::ptr(this))) {
  const sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
  vfs_ = *system;  // time and random numbers
  vfs_.szOsFile = sizeof(Handle);
  vfs_.mxPathname = 1024;
  vfs_.pNext = nullptr;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = Open;
  vfs_.xDelete = Delete;
  vfs_.xAccess = Access;
  vfs_.xFullPathname = FullPathname;
  sqlite3_vfs_register(&vfs_, 0);
}

SourceVfs::~SourceVfs() { sqlite3_vfs_unregister(&vfs_); }

Status SourceVfs::DropDamagedCells() {
  constexpr std::size_t kReserved = 20;
  const std::string header = TURNLOG_TRY(source_.files.front().Head(kFileHeader));
  reserved_ = header.size() < kFileHeader ? 0 : static_cast<std::uint8_t>(header[kReserved]);
  return {};
}

// The path is "database" with the suffix of the file. Temporary files have none.
SourceFile* SourceVfs::FileOf(const char* path) const {
  if (path == nullptr) return nullptr;
  const std::string_view suffix = std::string_view(path).substr(std::min(std::strlen(path), std::strlen("database")));
  return suffix.empty() ? &source_.files.front() : source_.Find(source_.files.front().name() + std::string(suffix));
}

int SourceVfs::Open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int /*flags*/, int* out_flags) {
  static constexpr sqlite3_io_methods kMethods{.iVersion = 1,
                                               .xClose = Close,
                                               .xRead = Read,
                                               .xWrite = Write,
                                               .xTruncate = Truncate,
                                               .xSync = Sync,
                                               .xFileSize = FileSize,
                                               .xLock = Lock,
                                               .xUnlock = Lock,
                                               .xCheckReservedLock = CheckReservedLock,
                                               .xFileControl = FileControl,
                                               .xSectorSize = SectorSize,
                                               .xDeviceCharacteristics = DeviceCharacteristics};
  auto* self = static_cast<SourceVfs*>(vfs->pAppData);
  auto* handle = reinterpret_cast<Handle*>(file);  // SQLite allocates szOsFile bytes for it
  *handle = {{nullptr}, self, self->FileOf(path)};
  if (path == nullptr) return SQLITE_CANTOPEN;
  handle->base.pMethods = &kMethods;
  if (out_flags != nullptr) *out_flags = SQLITE_OPEN_READONLY;
  return SQLITE_OK;
}

int SourceVfs::Access(sqlite3_vfs* vfs, const char* path, int /*flags*/, int* result) {
  const auto* self = static_cast<SourceVfs*>(vfs->pAppData);
  *result = self->FileOf(path) == nullptr ? 0 : 1;
  return SQLITE_OK;
}

int SourceVfs::FullPathname(sqlite3_vfs* /*vfs*/, const char* path, int size, char* out) {
  sqlite3_snprintf(size, out, "%s", path);
  return SQLITE_OK;
}

int SourceVfs::Delete(sqlite3_vfs* /*vfs*/, const char* /*path*/, int /*sync*/) { return SQLITE_OK; }

int SourceVfs::Read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  const auto* handle = reinterpret_cast<Handle*>(file);
  const std::span<char> wanted(static_cast<char*>(out), static_cast<std::size_t>(size));
  std::size_t read = 0;
  if (handle->file != nullptr) {
    const auto done = handle->file->ReadAt(static_cast<std::uint64_t>(offset), wanted);
    if (!done) return handle->vfs->Fail(done.error());
    read = *done;
  }
  const bool is_page = size >= kLeastPage && handle->file == &handle->vfs->source_.files.front();
  if (read == wanted.size()) {
    const auto reserved = handle->vfs->reserved_;
    if (is_page && reserved) turnlog::DropDamagedCells(wanted, offset == 0 ? kFileHeader : 0, *reserved);
    return SQLITE_OK;
  }
  std::ranges::fill(wanted.subspan(read), '\0');
  // Of a page that is not all there SQLite would read the rest as zeros, and an index without entries hides rows.
  return is_page ? SQLITE_CORRUPT : SQLITE_IOERR_SHORT_READ;
}

int SourceVfs::FileSize(sqlite3_file* file, sqlite3_int64* size) {
  const auto* handle = reinterpret_cast<Handle*>(file);
  *size = 0;
  if (handle->file == nullptr) return SQLITE_OK;
  const auto found = handle->file->FindSize();
  if (!found) return handle->vfs->Fail(found.error());
  *size = static_cast<sqlite3_int64>(*found);
  return SQLITE_OK;
}

int SourceVfs::Fail(const Error& error) {
  error_ = error.message;
  return SQLITE_IOERR_READ;
}

}  // namespace turnlog
