// Threads that wait for the same work, such as a write, a sync or a request. When the previous one has ended, exactly
// one thread is woken to lead this one; when this one has ended, all are woken.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace turnlog {

class WaitGroup {
 public:
  enum class Outcome { kDone, kLead };

  // Blocks until Finish, or until HandOver picks this thread. A thread that gets kLead must lead: no other thread does.
  Outcome Await() {
    for (;;) {
      State state = state_.load(std::memory_order_acquire);
      if (state == State::kDone) return Outcome::kDone;
      if (state == State::kWaiting) {
        state_.wait(State::kWaiting, std::memory_order_acquire);
      } else if (state_.compare_exchange_strong(state, State::kWaiting)) {
        return Outcome::kLead;
      }
    }
  }
  void HandOver() { Set(State::kHandedOver), state_.notify_one(); }
  void Finish() { Set(State::kDone), state_.notify_all(); }

  std::size_t members = 0;  // threads that have called Await or are about to; guarded by the owner's mutex

 private:
  enum class State : std::uint32_t { kWaiting, kHandedOver, kDone };
  // kDone is final: a failure may release a group after HandOver and before a thread has taken the lead.
  void Set(State state) {
    State now = state_.load(std::memory_order_relaxed);
    while (now != State::kDone && !state_.compare_exchange_weak(now, state, std::memory_order_acq_rel)) {
    }
  }

  std::atomic<State> state_ = State::kWaiting;
};

}  // namespace turnlog
