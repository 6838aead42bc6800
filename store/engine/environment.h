// What the store stands on; tests put failing and forgetful ones here.
#pragma once

#include "base/file_system.h"

namespace rocksdb {
class Env;
}

namespace turnlog {

struct Environment {
  FileSystem* files = &PosixFileSystem();
  rocksdb::Env* index = nullptr;  // none: RocksDB's own
};

}  // namespace turnlog
