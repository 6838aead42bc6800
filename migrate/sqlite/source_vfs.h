// SQLite's file system over the files of a source. It only reads: the database, its write-ahead log and a journal.
// Nothing is written beside the source, and no lock file is needed, because SQLite keeps the index of the log in
// memory.
#pragma once

#include <sqlite3.h>

#include <optional>
#include <string>

#include "migrate/sources/source.h"
#include "turnlog/result.h"

namespace turnlog {

class SourceVfs {
 public:
  // The first file of `source` is the database; its log and journal are named after it. REQUIRES: `source` outlives it.
  explicit SourceVfs(Source& source);
  ~SourceVfs();
  SourceVfs(const SourceVfs&) = delete;
  SourceVfs& operator=(const SourceVfs&) = delete;

  // For sqlite3_open_v2.
  const char* name() const { return name_.c_str(); }
  // From here on the pages of the database come without the cells that are damaged. SQLite may have others in its
  // cache.
  Status DropDamagedCells();
  // Why a file could not be read; empty: all could.
  const std::string& error() const { return error_; }

 private:
  struct Handle;  // an open file

  static int Open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags);
  static int Access(sqlite3_vfs* vfs, const char* path, int flags, int* result);
  static int FullPathname(sqlite3_vfs* vfs, const char* path, int size, char* out);
  static int Delete(sqlite3_vfs* vfs, const char* path, int sync);
  static int Read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset);
  static int FileSize(sqlite3_file* file, sqlite3_int64* size);

  SourceFile* FileOf(const char* path) const;
  int Fail(const Error& error);

  Source& source_;
  std::string name_, error_;
  std::optional<std::size_t> reserved_;  // at the end of each page, if damaged cells are dropped
  sqlite3_vfs vfs_{};
};

}  // namespace turnlog
