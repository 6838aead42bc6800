// An environment in which this process kills itself before its n-th file operation: the victims of tests die at every
// relevant moment, and never depending on time.
#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <unistd.h>

#include <cstdint>
#include <memory>

#include "store/engine/environment.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/fault_rocks_files.h"
#include "tests/support/no_retry_env.h"

namespace turnlog {

class DyingEnvironment {
 public:
  // Operations that change something, counted apart for the log's files and the index's, from 1; 0: never.
  DyingEnvironment(std::uint64_t log_operation, std::uint64_t index_operation) {
    const auto die = [](std::string_view) { (void)::kill(::getpid(), SIGKILL); };
    if (log_operation > 0) files_.PauseAt(log_operation, die);
    if (index_operation > 0) index_files_->PauseAt(index_operation, die);
  }

  Environment environment() {
    return {.files = &files_, .index = &index_env_, .idle_claim = std::chrono::milliseconds(1)};
  }

 private:
  FaultFileSystem files_{PosixFileSystem()};
  std::shared_ptr<FaultRocksFiles> index_files_ = std::make_shared<FaultRocksFiles>();
  NoRetryEnv index_env_{index_files_};
};

}  // namespace turnlog
