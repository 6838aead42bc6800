// What a service counts, in Prometheus' text format.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "service/histogram.h"

namespace turnlog {

// Histograms of nanoseconds, written as seconds.
inline constexpr std::uint64_t kFirstLatency = 50'000;
inline constexpr double kNanosecond = 1e-9;

// Values of the moment.
struct ServiceGauges {
  std::uint64_t connections = 0, body_memory = 0, waiting_clients = 0, pending_inquiries = 0;
};

// Threads: all members may be called from any thread at once.
class Metrics {
 public:
  void CountAppend(std::uint64_t events, bool synced, std::chrono::nanoseconds took);
  // From an append until an event stream has sent it.
  void CountStreamLag(std::chrono::nanoseconds lag) { stream_lag_.Add(static_cast<std::uint64_t>(lag.count())); }
  // The names must outlive this: they are those of routes and of kinds of targets.
  void CountRequest(std::string_view operation, int status);
  void CountNotification(std::string_view kind, bool sent);
  void CountReceived(std::uint64_t bytes) { received_bytes_ += bytes; }
  std::string ToText(const ServiceGauges& gauges) const;

 private:
  std::atomic<std::uint64_t> appends_ = 0, events_ = 0, received_bytes_ = 0;
  Histogram synced_appends_{kFirstLatency, kNanosecond}, stream_lag_{kFirstLatency, kNanosecond};
  mutable std::mutex mutex_;
  std::map<std::pair<std::string_view, int>, std::uint64_t> requests_;
  std::map<std::pair<std::string_view, bool>, std::uint64_t> notifications_;
};

}  // namespace turnlog
