// Erasures that the log has announced and not yet reported as done. Whatever stands in the place of their frames now,
// the old ones, the new ones or something in between: they count as erased. Any thread may call any member.
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
  // LockedConversation by whoever reads the log for its announcements, one at a time, so that what they tell fits
  // together.
  [[nodiscard]] std::unique_lock<std::mutex> HoldReading() { return std::unique_lock(reading_); }

  // A kEraseIntent frame that ends at `end` announces the frames.
  void AddIntent(std::uint64_t end, std::vector<Tombstone> frames);
  // A kEraseComplete frame ends at `end`.
  void Done(std::uint64_t end);
  // The log has been read up to `end`, where it ends for now: what was announced behind it does not count.
  void ReadTo(std::uint64_t end);

  // The frame at this place, if it is one of those.
  std::optional<Tombstone> At(std::uint64_t position) const;
  std::vector<Tombstone> all() const;  // by position
  // Behind the last kEraseIntent or kEraseComplete frame that was applied.
  std::uint64_t last_record_end() const;
  std::uint64_t read_to() const;

 private:
  struct Announced {
    std::uint64_t end = 0;  // of the kEraseIntent frame
    Tombstone frame;
  };

  std::mutex reading_;
  std::atomic<bool> any_ = false;
  mutable std::mutex mutex_;                   // guards what follows
  std::map<std::uint64_t, Announced> frames_;  // by position
  std::uint64_t last_record_end_ = 0, read_to_ = 0;
};

}  // namespace turnlog
