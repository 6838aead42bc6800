// Threads that wait for the same work, such as a write, a sync or a request. When the previous one has ended, exactly
// one thread is woken to lead this one; when this one has ended, all are woken.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/futex.h"

namespace turnlog {

class WaitGroup {
 public:
  enum class Outcome { kDone, kLead };

  // Blocks until Finish, or until HandOver picks this thread. A thread that gets kLead must lead: no other thread does.
  Outcome Await() {
    for (;;) {
      std::uint32_t state = state_.load(std::memory_order_acquire);
      if (state == kDone) return Outcome::kDone;
      if (state == kHandedOver) {
        if (state_.compare_exchange_strong(state, kSleeping)) return Outcome::kLead;
      } else if (state == kSleeping || state_.compare_exchange_strong(state, kSleeping)) {
        FutexWait(state_, kSleeping);
      }
    }
  }
  void HandOver() {
    if (Set(kHandedOver) == kSleeping) FutexWake(state_, 1);
  }
  void Finish() {
    if (Set(kDone) != kWaiting) FutexWake(state_);
  }

  std::size_t members = 0;  // threads that have called Await or are about to; guarded by the owner's mutex

 private:
  // kSleeping: some thread sleeps, or did. A thread that sleeps while another one is asked to lead sleeps on.
  enum State : std::uint32_t { kWaiting, kSleeping, kHandedOver, kDone };
  // Returns the state before. kDone is final: a failure may release a group after HandOver and before a thread has
  // taken the lead.
  std::uint32_t Set(State state) {
    std::uint32_t now = state_.load(std::memory_order_relaxed);
    while (now != kDone && !state_.compare_exchange_weak(now, state, std::memory_order_acq_rel)) {
    }
    return now;
  }

  std::atomic<std::uint32_t> state_ = kWaiting;
};

}  // namespace turnlog
