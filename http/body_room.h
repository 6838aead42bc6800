// A limit on the memory that the bodies of all requests take while they are read and handled. Large bodies get it one
// after another rather than in parts, because parts that wait for each other serve nobody.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace turnlog {

class BodyRoom;

// Threads: all members may be called from any thread at once.
class BodyBudget {
 public:
  static constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;

  // For large bodies; small ones, and the beginnings of others, have an eighth more for themselves.
  explicit BodyBudget(std::uint64_t limit);

  enum class Grant : std::uint8_t {
    kTaken,
    kWait,      // others will give something back
    kRefused,   // nobody else will, before this one does: all others that hold much wait, too
    kTooLarge,  // this would not fit into all of it
  };

  std::uint64_t taken() const {
    const std::scoped_lock lock(mutex_);
    return taken_small_ + taken_large_;
  }

 private:
  friend class BodyRoom;

  const std::uint64_t limit_, limit_for_small_;
  mutable std::mutex mutex_;
  std::uint64_t taken_small_ = 0, taken_large_ = 0;
  std::size_t stuck_ = 0;          // large ones that wait for more
  std::vector<BodyRoom*> large_;   // rooms beyond kSmall
  std::deque<BodyRoom*> waiting_;  // rooms that are to become so, as they came
};

// What one request has taken of it, given back at the end. One thread at a time.
class BodyRoom {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit BodyRoom(BodyBudget& budget) : budget_(budget) {}
  BodyRoom(const BodyRoom&) = delete;
  BodyRoom& operator=(const BodyRoom&) = delete;
  ~BodyRoom() { Release(); }

  // That the body will take about `bytes`, and will have come by `until`: until then others leave that to it. Before
  // anything of it is taken.
  void Claim(std::uint64_t bytes, Time until);
  // Up to `bytes` in all. After kWait: until this is called again, the request counts as one that waits.
  BodyBudget::Grant GrowTo(std::uint64_t bytes);
  void Release();

  std::uint64_t taken() const { return taken_; }

 private:
  BodyBudget::Grant BecomeLarge(std::uint64_t bytes);
  bool HasRoomFor(std::uint64_t bytes) const;
  bool IsLarge() const { return taken_ > BodyBudget::kSmall; }
  std::uint64_t Claimed(Time now) const;
  void SetSmall(std::uint64_t bytes);
  void SetLarge(std::uint64_t bytes);
  void Unstick();

  BodyBudget& budget_;
  std::uint64_t taken_ = 0;
  std::uint64_t claim_ = 0;
  Time claimed_until_{};
  bool stuck_ = false;
};

}  // namespace turnlog
