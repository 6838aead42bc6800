// A file system whose writes and syncs of segments stop at a gate, so that a test controls the order of
// threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/forwarding_file_system.h"

namespace turnlog {

// Open at first. Any thread may call any member.
class Gate {
 public:
  void Close();
  void Open();
  // Lets one stopped operation pass, or the next one that arrives.
  void LetOnePass();
  // All operations that pass from now on fail with kIo.
  void FailFromNowOn();
  // Blocks until so many operations have stopped.
  void AwaitStopped(std::size_t count);
  std::size_t passed() const;

  // Called by the file.
  Status Pass();

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true, fails_ = false;
  std::size_t stopped_ = 0, permits_ = 0, passed_ = 0;
};

class GatedFileSystem final : public ForwardingFileSystem {
 public:
  Gate writes, syncs;

  Result<std::unique_ptr<File>> Open(const std::filesystem::path& path, Access access) override;
};

}  // namespace turnlog
