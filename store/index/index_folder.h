// The folder of an index: created, checked, and removed or replaced as a whole.
#pragma once

#include <expected>
#include <filesystem>

#include "base/file_system.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "store/engine/environment.h"
#include "store/index/index_files.h"
#include "turnlog/result.h"

namespace turnlog {

rocksdb::Env* EnvOf(const Environment& environment);
// An error of the operating system takes precedence: RocksDB may report it as something else.
std::unexpected<Error> Translate(const rocksdb::Status& status, const IndexFiles& files);

// kNotFound: there is no index, or an unfinished one. kIo: RocksDB must not touch what is there.
Status CheckIndexFolder(FileSystem& files, const std::filesystem::path& folder);
rocksdb::Status MakeIndexFolder(rocksdb::FileSystem& files, const std::filesystem::path& folder);
// Makes its entries durable.
rocksdb::Status SyncFolder(rocksdb::FileSystem& files, const std::filesystem::path& folder);

}  // namespace turnlog
