// What the store stands on; tests put failing and forgetful ones here.
#pragma once

#include <chrono>

#include "base/file_system.h"

namespace rocksdb {
class Env;
}

namespace turnlog {

struct Environment {
  FileSystem* files = &PosixFileSystem();
  rocksdb::Env* index = nullptr;  // none: RocksDB's own
  // So long after a sync behind which nothing was appended, a writer appends a claim (Committer::Claim); 0: never.
  std::chrono::milliseconds idle_claim{0};
};

}  // namespace turnlog
