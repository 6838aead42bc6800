// File systems that the store runs on; tests pass ones that fail or lose unsynced data.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/file_system.h"

namespace rocksdb {
class Env;
}

namespace turnlog {

struct Environment {
  FileSystem* files = &PosixFileSystem();
  rocksdb::Env* index = nullptr;  // null: RocksDB's own
  // A writer appends a claim (Committer::Claim) if nothing was appended for so long after a sync; 0: never.
  std::chrono::milliseconds idle_claim{0};
  // An append that makes maintenance due waits for it, so that a single thread's operations have one order.
  bool await_maintenance = false;
  // Of a store that is created; its hashes, and with them its index, follow from it. 0: random.
  std::uint64_t store_id = 0;
};

}  // namespace turnlog
