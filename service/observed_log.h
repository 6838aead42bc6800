// A log that reports its changes, and what they cost.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "log/forwarding_log.h"
#include "turnlog/log.h"

namespace turnlog {

struct LogChange {
  const ConversationId& conversation;
  std::uint64_t events = 0;  // appended: without repeated ones
  bool rewritten = false;    // contents of earlier events are gone
  Durability durability = Durability::kSync;
  std::chrono::nanoseconds took{0};
};

// One of several appends.
struct AppendRequest {
  ConversationId conversation;
  std::vector<EventView> events;
  std::optional<Seq> expected_last;
};

class ObservedLog : public ForwardingLog {
 public:
  // `on_change` is called after each change that has succeeded, on its thread.
  ObservedLog(Log& log, std::function<void(const LogChange&)> on_change)
      : ForwardingLog(log), on_change_(std::move(on_change)) {}

  Capabilities capabilities() const override;
  using Log::Append;
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                              const AppendOptions& options) override;
  // Each by itself, in order. They share one wait for the disk if combines_appends().
  std::vector<Result<AppendResult>> AppendAll(std::span<const AppendRequest> appends, Durability durability);
  // The same in two steps, if combines_appends(): the first one does not wait, and the second one begins with what the
  // first one gave.
  std::vector<Result<AppendResult>> BeginAll(std::span<const AppendRequest> appends, Durability durability);
  void EndAll(std::span<const AppendRequest> appends, Durability durability,
              std::chrono::steady_clock::time_point since, std::span<Result<AppendResult>> results);
  bool combines_appends() const { return log_.capabilities().appends_later; }
  // What is not written yet would not be seen by those who are woken.
  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                   const AppendOptions& options) override {
    return Append(conversation, events, options);
  }
  Result<EraseReport> Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                            const EraseOptions& options) override;
  Result<RedactReport> Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                              const EventView& redaction, const RedactOptions& options) override;
  // False after a write has failed so that only opening the log again helps.
  bool usable() const { return usable_; }

 private:
  template <class T>
  Result<T> Noted(Result<T> result) {
    if (!result && result.error().code == ErrorCode::kNeedsReopen) usable_ = false;
    return result;
  }

  const std::function<void(const LogChange&)> on_change_;
  std::atomic<bool> usable_ = true;
};

}  // namespace turnlog
