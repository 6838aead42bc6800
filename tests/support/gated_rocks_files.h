// RocksDB's files; table files stop at a gate before they are created, and so does a checkpoint of the index.
#pragma once

#include <memory>
#include <string>

#include "rocksdb/file_system.h"
#include "tests/support/gated_file_system.h"

namespace turnlog {

class GatedRocksFiles final : public rocksdb::FileSystemWrapper {
 public:
  GatedRocksFiles() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  Gate tables;

  const char* Name() const override { return "GatedRocksFiles"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (path.ends_with(".sst") && !tables.Pass()) return rocksdb::IOStatus::IOError("the gate is closed for good");
    return FileSystemWrapper::NewWritableFile(path, options, file, debug);
  }
};

}  // namespace turnlog
