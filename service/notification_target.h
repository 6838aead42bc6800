// Where notifications go: a URL, or a command.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/secret_string.h"
#include "turnlog/result.h"

namespace turnlog {

inline constexpr std::string_view kSignatureHeader = "Turnlog-Signature";

class NotificationTarget {
 public:
  virtual ~NotificationTarget() = default;
  // "webhook" or "exec", for logs and metrics.
  virtual std::string_view kind() const = 0;
  // kIo: it was not delivered, or not surely. Called from one thread, which blocks all signals.
  virtual Status Send(const std::string& body, std::chrono::milliseconds timeout) = 0;
  // Ends a Send of another thread and all later ones, with kIo.
  virtual void Abort() = 0;
};

// "webhook:https://host/path" is sent the body by POST with a signature under `key`; plain http only to this machine.
// "exec:COMMAND" gets it on standard input, from `sh`. kInvalidArgument: neither, or a webhook with too short a key.
Result<std::unique_ptr<NotificationTarget>> ParseNotificationTarget(std::string_view text, const SecretString& key);

// "t=UNIX_SECONDS,v1=HEX": HMAC-SHA256 of "UNIX_SECONDS.BODY". The time is signed too, so that a receiver can refuse
// what someone else has kept and sends again.
std::string NotificationSignature(std::string_view key, std::int64_t unix_seconds, std::string_view body);

}  // namespace turnlog
