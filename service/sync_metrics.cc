#include "turnlog/service/sync_metrics.h"

#include <fmt/format.h>

#include <atomic>

#include "service/histogram.h"
#include "service/metrics.h"

namespace turnlog {

struct SyncMetrics::Counts {
  Histogram seconds{kFirstLatency, kNanosecond};
  Histogram appends{1, 1};
  std::atomic<std::uint64_t> bytes = 0;
};

SyncMetrics::SyncMetrics() : counts_(std::make_unique<Counts>()) {}
SyncMetrics::~SyncMetrics() = default;

void SyncMetrics::Add(std::chrono::nanoseconds took, std::uint64_t appends, std::uint64_t bytes) {
  counts_->seconds.Add(static_cast<std::uint64_t>(took.count()));
  if (appends > 0) counts_->appends.Add(appends);
  counts_->bytes += bytes;
}

void SyncMetrics::Write(std::string& out) const {
  counts_->seconds.Write("turnlog_sync_seconds", "Syncs of the log.", out);
  counts_->appends.Write("turnlog_sync_appends", "Appends that one sync made durable.", out);
  out += fmt::format(
      "# HELP turnlog_synced_bytes_total Bytes of the log that were made durable.\n"
      "# TYPE turnlog_synced_bytes_total counter\nturnlog_synced_bytes_total {}\n",
      counts_->bytes.load());
}

}  // namespace turnlog
