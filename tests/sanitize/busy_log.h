// A log in which another writer acts just before each append.
#pragma once

#include <functional>
#include <utility>

#include "log/forwarding_log.h"

namespace turnlog {

class BusyLog : public ForwardingLog {
 public:
  BusyLog(Log& log, std::function<void()> before_append)
      : ForwardingLog(log), before_append_(std::move(before_append)) {}

  using ForwardingLog::Append;
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                              const AppendOptions& options) override {
    before_append_();
    return ForwardingLog::Append(conversation, events, options);
  }

 private:
  const std::function<void()> before_append_;
};

}  // namespace turnlog
