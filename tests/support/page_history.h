// Simulates the effect of a power loss on the contents of one file: each 4 KiB page written since the last sync
// is on disk or not, independently, and some only up to a sector of 512 bytes; the length may be the old one, the
// new one, or one in between. A truncation is atomic, and the truncated bytes may come back. One thread at a
// time.
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
  // A truncation, or a run of writes. `pages`: their contents before it; zeros are implied after their end.
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
