// An environment for RocksDB above failing files. After a failed flush or compaction RocksDB sleeps for a second before
// it reports it; here it does not.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace turnlog {

class NoRetryEnv : public rocksdb::EnvWrapper {
 public:
  explicit NoRetryEnv(const std::shared_ptr<rocksdb::FileSystem>& files)
      : EnvWrapper(rocksdb::NewCompositeEnv(files)) {}

  void SleepForMicroseconds(int micros) override { EnvWrapper::SleepForMicroseconds(std::min(micros, 1'000)); }
};

}  // namespace turnlog
