// What the user refused, and what the model has not been told of it. Computed from the log, so that it is told once,
// whatever processes come and go.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/log.h"

namespace turnlog {

struct DeniedCall {
  std::string tool;  // empty if the call is not in the turn
  std::string call;  // its id
  std::optional<std::string> reason;
  std::string arguments_hash;               // what exactly was refused (edited_arguments.h)
  std::optional<std::string> conversation;  // of the delegated agent; none: this one
  bool operator==(const DeniedCall&) const = default;
};

// What the model has not been told: no response of it was requested since. Oldest first, with those that delegated
// agents handed up. Whether calls are of one response is what TurnRecorder::StartMessage says; without it, calls count
// as of the same one until there is a chat_response or a new turn. Cost: the turns since the model's last response.
Result<std::vector<DeniedCall>> UndeliveredDenials(Log& log, const ConversationId& conversation);
// All of the last turn, told or not: what a delegated agent hands up when it is done.
Result<std::vector<DeniedCall>> DenialsOfLastTurn(Log& log, const ConversationId& conversation);

// `metadata` for the result of the call that delegated to `from`, so that the model of this conversation is told of
// them.
Json PropagateDenials(const ConversationId& from, std::span<const DeniedCall> denials);

// One line that is safe to put into a prompt: tool, call id, and at most 200 characters of the reason.
std::string DenialLine(const DeniedCall& denial);
// All of them, a line each, and what the model is to do about it, for the next request to it; empty if there are none.
std::string DenialContext(std::span<const DeniedCall> denials);

// A refused call in a history that is given as text: "[DENIED BY USER]", with call id, input and reason; in the input
// nothing but unsafe characters is missing.
std::string RenderDeniedCall(const ToolCallRequest& call, const Denial& denial);

}  // namespace turnlog
