// What a power loss does to the contents of one file: pages of 4 KiB that were written since its last sync are on disk
// or not, each for itself, and some of them up to a sector of 512 bytes only; its length may be the old one, the new
// one, or one in between. A truncation happens as a whole, and what it cut off may come back.
// One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_system.h"
#include "tests/support/name_journal.h"

namespace turnlog {

class PageHistory {
 public:
  // `file` must allow reading and writing; what is in it now is on disk.
  explicit PageHistory(std::shared_ptr<File> file) : file_(std::move(file)) {}

  // Before the file is changed in this way:
  Status WillWrite(std::uint64_t offset, std::uint64_t length);
  Status WillExtend() { return WillWrite(0, 0); }
  Status WillTruncate(std::uint64_t size);
  // After it was synced:
  void Synced() { epochs_.clear(); }

  bool clean() const { return epochs_.empty(); }
  Status Crash(CrashRandom& random, Loss loss);

 private:
  // A truncation, or a run of writes. `pages` are as they were before it; zeros are implied behind their end.
  struct Epoch {
    std::uint64_t size_before = 0;
    std::optional<std::uint64_t> truncated_to;
    std::map<std::uint64_t, std::string> pages;
  };
  Status Keep(Epoch& epoch, std::uint64_t begin, std::uint64_t end);
  Status UndoFrom(std::size_t first_epoch);
  Status UndoSomePages(CrashRandom& random);
  Result<std::uint64_t> SomeSize(CrashRandom& random);
  Status PutBack(std::uint64_t page, const std::string& before, std::uint64_t begin, std::uint64_t end);

  std::shared_ptr<File> file_;
  std::vector<Epoch> epochs_;  // oldest first; empty: all is on disk
};

}  // namespace turnlog
