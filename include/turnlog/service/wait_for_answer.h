// Waits until somebody answers a question that was left waiting (PromptReply::Kind::kDeferred).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct WaitedAnswer {
  enum class State : std::uint8_t {
    kWaiting,  // not within this time
    kClosed,   // answered, cancelled, or given as a secret
    kOver,     // its turn is over
  };

  State state = State::kWaiting;
  std::optional<Event> response;      // kClosed: the inquiry_response
  std::optional<std::string> secret;  // the answer to a secret question, which is nowhere else
};

struct WaitOptions {
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
  // Take the answer to a secret question. Only a service can hand one over, to one agent.
  bool takes_secret = false;
};

// Woken by the answer, not polled. While an agent waits through a service, answers given there are only recorded, and
// the agent goes on: after TurnRecorder::Refresh, Inquire, Approve, AskUser and SettleUserQuestion find them.
// kNotFound: it was never asked. kUnsupported: a secret is to be taken, and `log` is not of a service.
Result<WaitedAnswer> WaitForAnswer(Log& log, const ConversationId& conversation, std::string_view inquiry,
                                   const WaitOptions& options = {});

}  // namespace turnlog
