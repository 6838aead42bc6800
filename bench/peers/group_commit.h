// The usual group commit: one mutex, one condition variable; a thread that finds no other one writing writes everything
// pending, and syncs if requested.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "turnlog/log.h"

namespace turnlog {

template <class Pending>
class GroupCommit {
 public:
  using WriteFn = std::function<void(Pending& pending, bool sync)>;  // leaves `pending` empty

  explicit GroupCommit(WriteFn write) : write_(std::move(write)) {}

  // Calls `add` with the pending data.
  template <class AddFn>
  std::uint64_t Add(AddFn add) {
    const std::scoped_lock lock(mutex_);
    add(filling_);
    return ++added_;
  }

  void Wait(std::uint64_t ticket, Durability durability) {
    const bool sync = durability == Durability::kSync;
    std::unique_lock lock(mutex_);
    while ((sync ? durable_ : written_) < ticket) {
      if (busy_) {
        done_.wait(lock);
      } else {
        Lead(lock, sync);
      }
    }
  }

 private:
  void Lead(std::unique_lock<std::mutex>& lock, bool sync) {
    busy_ = true;
    std::swap(filling_, writing_);
    const std::uint64_t end = added_;
    lock.unlock();
    write_(writing_, sync);
    lock.lock();
    busy_ = false;
    written_ = end;
    if (sync) durable_ = end;
    done_.notify_all();
  }

  const WriteFn write_;
  std::mutex mutex_;
  std::condition_variable done_;
  Pending filling_, writing_;
  std::uint64_t added_ = 0, written_ = 0, durable_ = 0;
  bool busy_ = false;
};

}  // namespace turnlog
