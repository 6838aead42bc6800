// A limit on the memory that the bodies of all requests take while they are read and handled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace turnlog {

// Threads: all members may be called from any thread at once.
class BodyBudget {
 public:
  // A few small bodies find room beyond the limit, whatever large ones take.
  explicit BodyBudget(std::uint64_t limit) : limit_(limit), limit_for_small_(limit + limit / 8) {}

  enum class Grant : std::uint8_t {
    kTaken,
    kWait,      // others will give something back
    kRefused,   // nobody else will, before this one does: all others that hold much wait, too
    kTooLarge,  // this would not fit into all of it
  };

  std::uint64_t taken() const {
    const std::scoped_lock lock(mutex_);
    return taken_;
  }

 private:
  friend class BodyRoom;
  static constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;

  const std::uint64_t limit_, limit_for_small_;
  mutable std::mutex mutex_;
  std::uint64_t taken_ = 0;
  std::size_t large_ = 0, stuck_ = 0;  // rooms beyond kSmall, and those of them that wait for more
};

// What one request has taken of it, given back at the end. One thread at a time.
class BodyRoom {
 public:
  explicit BodyRoom(BodyBudget& budget) : budget_(budget) {}
  BodyRoom(const BodyRoom&) = delete;
  BodyRoom& operator=(const BodyRoom&) = delete;
  ~BodyRoom() { Release(); }

  std::uint64_t taken() const { return taken_; }

  // Up to `bytes` in all. After kWait: until this is called again, the request counts as one that waits.
  BodyBudget::Grant GrowTo(std::uint64_t bytes) {
    if (bytes <= taken_) return BodyBudget::Grant::kTaken;
    const std::scoped_lock lock(budget_.mutex_);
    Unstick();
    const std::uint64_t limit = bytes <= BodyBudget::kSmall ? budget_.limit_for_small_ : budget_.limit_;
    if (bytes > limit) return BodyBudget::Grant::kTooLarge;
    // What becomes free is for those that have begun: if others began, too, none of them would end.
    const bool must_wait = !large() && bytes > BodyBudget::kSmall && budget_.stuck_ > 0;
    if (!must_wait && budget_.taken_ - taken_ + bytes <= limit) {
      Set(bytes);
      return BodyBudget::Grant::kTaken;
    }
    if (!large()) return BodyBudget::Grant::kWait;
    if (budget_.large_ - budget_.stuck_ == 1) return BodyBudget::Grant::kRefused;
    stuck_ = true;
    ++budget_.stuck_;
    return BodyBudget::Grant::kWait;
  }

  void Release() {
    const std::scoped_lock lock(budget_.mutex_);
    Unstick();
    Set(0);
  }

 private:
  bool large() const { return taken_ > BodyBudget::kSmall; }
  void Set(std::uint64_t bytes) {
    budget_.large_ -= large() ? 1 : 0;
    budget_.taken_ += bytes - taken_;
    taken_ = bytes;
    budget_.large_ += large() ? 1 : 0;
  }
  void Unstick() {
    if (stuck_) --budget_.stuck_;
    stuck_ = false;
  }

  BodyBudget& budget_;
  std::uint64_t taken_ = 0;
  bool stuck_ = false;
};

}  // namespace turnlog
