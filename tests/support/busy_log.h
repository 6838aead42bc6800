// A log in which something happens just before each append and each erasure, as by another writer.
#pragma once

#include <functional>
#include <utility>

#include "log/forwarding_log.h"

namespace turnlog {

class BusyLog : public ForwardingLog {
 public:
  BusyLog(Log& log, std::function<void()> before) : ForwardingLog(log), before_(std::move(before)) {}

  using ForwardingLog::Append;
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                              const AppendOptions& options) override {
    before_();
    return ForwardingLog::Append(conversation, events, options);
  }
  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                   const AppendOptions& options) override {
    before_();
    return ForwardingLog::AppendLater(conversation, events, options);
  }
  Result<EraseReport> Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                            const EraseOptions& options) override {
    before_();
    return ForwardingLog::Erase(conversation, seqs, options);
  }

 private:
  const std::function<void()> before_;
};

}  // namespace turnlog
