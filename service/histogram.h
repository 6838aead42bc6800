// Counts of values in ranges that double, in Prometheus' text format.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace turnlog {

// Threads: all members may be called from any thread at once.
class Histogram {
 public:
  // `first`: the upper bound of the first range. `unit`: what a value of 1 is in the text.
  Histogram(std::uint64_t first, double unit) : first_(first), unit_(unit) {}

  void Add(std::uint64_t value);
  void Write(std::string_view name, std::string_view help, std::string& out) const;

 private:
  static constexpr std::size_t kBuckets = 16;

  const std::uint64_t first_;
  const double unit_;
  std::array<std::atomic<std::uint64_t>, kBuckets + 1> counts_{};  // the last one is for what is greater
  std::atomic<std::uint64_t> sum_ = 0;
};

}  // namespace turnlog
