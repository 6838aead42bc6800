// What the syncs of the served log cost, for the metrics of its service.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace turnlog {

// Threads: all members may be called from any thread at once.
class SyncMetrics {
 public:
  SyncMetrics();
  SyncMetrics(const SyncMetrics&) = delete;
  SyncMetrics& operator=(const SyncMetrics&) = delete;
  ~SyncMetrics();

  // One sync, and the appends that it made durable.
  void Add(std::chrono::nanoseconds took, std::uint64_t appends, std::uint64_t bytes);
  // Appends them in Prometheus' text format.
  void Write(std::string& out) const;

 private:
  struct Counts;
  const std::unique_ptr<Counts> counts_;
};

}  // namespace turnlog
