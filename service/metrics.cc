#include "service/metrics.h"

#include <fmt/format.h>

namespace turnlog {
namespace {

void Head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void Value(std::string& out, std::string_view name, std::string_view type, std::string_view help, std::uint64_t value) {
  Head(out, name, type, help);
  out += fmt::format("{} {}\n", name, value);
}

}  // namespace

void Metrics::CountAppend(std::uint64_t events, bool synced, std::chrono::nanoseconds took) {
  ++appends_;
  events_ += events;
  if (synced) synced_appends_.Add(static_cast<std::uint64_t>(took.count()));
}

void Metrics::CountRequest(std::string_view operation, int status) {
  const std::scoped_lock lock(mutex_);
  ++requests_[{operation, status}];
}

void Metrics::CountNotification(std::string_view kind, bool sent) {
  const std::scoped_lock lock(mutex_);
  ++notifications_[{kind, sent}];
}

std::string Metrics::ToText(const ServiceGauges& gauges) const {
  std::string out;
  Value(out, "turnlog_appends_total", "counter", "Successful appends, also of repeated events.", appends_);
  Value(out, "turnlog_appended_events_total", "counter", "Events that were written.", events_);
  Value(out, "turnlog_received_bytes_total", "counter", "Bodies of requests.", received_bytes_);
  synced_appends_.Write("turnlog_synced_append_seconds", "Time of appends that waited for the disk.", out);
  stream_lag_.Write("turnlog_stream_lag_seconds", "Time from an append until an event stream has sent all there is.",
                    out);
  Value(out, "turnlog_connections", "gauge", "Open connections.", gauges.connections);
  Value(out, "turnlog_body_memory_bytes", "gauge", "Memory for bodies that arrive or are being handled.",
        gauges.body_memory);
  Value(out, "turnlog_waiting_clients", "gauge", "Event streams and calls that wait for events.",
        gauges.waiting_clients);
  Value(out, "turnlog_pending_inquiries", "gauge", "Questions without an answer, before repairs.",
        gauges.pending_inquiries);
  Head(out, "turnlog_requests_total", "counter", "Requests by operation and status.");
  const std::scoped_lock lock(mutex_);
  for (const auto& [key, count] : requests_) {
    out += fmt::format("turnlog_requests_total{{operation=\"{}\",status=\"{}\"}} {}\n", key.first, key.second, count);
  }
  Head(out, "turnlog_notifications_total", "counter", "Messages about questions that wait.");
  for (const auto& [key, count] : notifications_) {
    out += fmt::format("turnlog_notifications_total{{target=\"{}\",outcome=\"{}\"}} {}\n", key.first,
                       key.second ? "sent" : "failed", count);
  }
  return out;
}

}  // namespace turnlog
