// A file system whose writes to segments and syncs of them stop at a gate, so that a test decides in which order
// threads go on.
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
  // Lets one of those pass that have stopped, or the next one that comes.
  void LetOnePass();
  // What passes from now on fails with kIo instead of being carried out.
  void FailFromNowOn();
  // Blocks until so many have stopped here.
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
