// What a service counts, in Prometheus' text format.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace turnlog {

// Durations, by upper bounds that double from 50 microseconds.
class LatencyHistogram {
 public:
  void Add(std::chrono::nanoseconds took);
  void Write(std::string_view name, std::string_view help, std::string& out) const;

 private:
  static constexpr std::size_t kBuckets = 16;
  std::array<std::atomic<std::uint64_t>, kBuckets + 1> counts_{};  // the last one is for what takes longer
  std::atomic<std::uint64_t> nanos_ = 0;
};

// Values of the moment.
struct ServiceGauges {
  std::uint64_t connections = 0, waiting_clients = 0, pending_inquiries = 0;
};

// Threads: all members may be called from any thread at once.
class Metrics {
 public:
  void CountAppend(std::uint64_t events, bool synced, std::chrono::nanoseconds took);
  void CountRequest(std::string_view operation, int status);
  void CountNotification(std::string_view kind, bool sent);
  void CountReceived(std::uint64_t bytes) { received_bytes_ += bytes; }
  std::string ToText(const ServiceGauges& gauges) const;

 private:
  std::atomic<std::uint64_t> appends_ = 0, events_ = 0, received_bytes_ = 0;
  LatencyHistogram synced_appends_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;
  std::map<std::pair<std::string, bool>, std::uint64_t> notifications_;
};

}  // namespace turnlog
