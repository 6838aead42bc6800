// A limit on the bodies of all requests that are being read or handled at once.
#pragma once

#include <atomic>
#include <cstdint>

namespace turnlog {

// Threads: all members may be called from any thread at once.
class BodyBudget {
 public:
  explicit BodyBudget(std::uint64_t limit) : limit_(limit) {}

  bool Take(std::uint64_t bytes) {
    if (taken_.fetch_add(bytes) + bytes <= limit_) return true;
    taken_ -= bytes;
    return false;
  }
  void Return(std::uint64_t bytes) { taken_ -= bytes; }

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> taken_ = 0;
};

// What one request has taken of it, given back at the end.
class BodyRoom {
 public:
  explicit BodyRoom(BodyBudget& budget) : budget_(budget) {}
  BodyRoom(const BodyRoom&) = delete;
  BodyRoom& operator=(const BodyRoom&) = delete;
  ~BodyRoom() { budget_.Return(taken_); }

  bool Grow(std::uint64_t bytes) {
    if (!budget_.Take(bytes)) return false;
    taken_ += bytes;
    return true;
  }

 private:
  BodyBudget& budget_;
  std::uint64_t taken_ = 0;
};

}  // namespace turnlog
