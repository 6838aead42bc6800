// Erasures that the log has announced and not confirmed as complete. Their frames count as erased, whether the disk
// holds the old bytes, the new ones or a mixture. Any thread may call any member.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "store/erasure/tombstone.h"

namespace turnlog {

class Erasures {
 public:
  // Held by a thread that scans the log for erase intents, one at a time, so that the calls below are
  // consistent.
  [[nodiscard]] std::unique_lock<std::mutex> HoldReading() { return std::unique_lock(reading_); }

  // A kEraseIntent frame that ends at `end` announces these frames.
  void AddIntent(std::uint64_t end, std::vector<Tombstone> frames);
  // A kEraseComplete frame ends at `end`.
  void Done(std::uint64_t end);
  // The log has been read up to its current end `end`: discards intents after it.
  void ReadTo(std::uint64_t end);

  // The tombstone of the frame at this position, if it is being erased.
  bool any() const { return any_; }
  std::optional<Tombstone> At(std::uint64_t position) const;
  std::vector<Tombstone> all() const;  // by position
  // The end of the last kEraseIntent or kEraseComplete frame that was applied.
  std::uint64_t last_record_end() const { return last_record_end_; }
  std::uint64_t read_to() const;

 private:
  struct Announced {
    std::uint64_t end = 0;  // of the kEraseIntent frame
    Tombstone frame;
  };

  std::mutex reading_;
  std::atomic<bool> any_ = false;
  std::atomic<std::uint64_t> last_record_end_ = 0;
  mutable std::mutex mutex_;                   // guards what follows, and all changes
  std::map<std::uint64_t, Announced> frames_;  // by position
  std::uint64_t read_to_ = 0;
};

}  // namespace turnlog
