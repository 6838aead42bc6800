// Agents that do not link turnlog: what their tools send to a hook is recorded as events of a conversation, and what
// people answer there goes back to the tool. docs/agent_tools.md describes both.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

enum class AgentTool : std::uint8_t { kClaudeCode, kCodex };

// "claude-code", "codex"; none for anything else.
std::optional<AgentTool> ParseAgentTool(std::string_view name);
std::string_view ToString(AgentTool tool);

struct AgentHookOptions {
  enum class OnTimeout : std::uint8_t {
    kAsk,   // the tool asks its user itself
    kDeny,  // the call is refused
  };

  AgentTool tool = AgentTool::kClaudeCode;
  std::chrono::milliseconds timeout = std::chrono::minutes(1);  // for an answer
  OnTimeout on_timeout = OnTimeout::kAsk;
  // Opens the log, for events that are recorded. kNotFound: no service runs, and the tool is to go on as without a
  // hook.
  std::function<Result<std::unique_ptr<Log>>()> open;
  // Whether the tool is gone, so that nothing would take an answer; asked from time to time. Empty: never.
  std::function<bool()> orphaned = {};
};

// Handles one event. What it does not know, and what it cannot do, is left to the tool: nothing is ever allowed that a
// person has not allowed.
class AgentHook {
 public:
  explicit AgentHook(AgentHookOptions options);
  ~AgentHook();
  AgentHook(const AgentHook&) = delete;
  AgentHook& operator=(const AgentHook&) = delete;

  // `input`: what the tool has written to the hook's standard input. Returns what the hook has to write to its standard
  // output; empty: nothing, so that the tool goes on as without a hook. kInvalidArgument: the input is no event.
  Result<std::string> Handle(std::string_view input);
  // Closes what Handle is waiting for as `interrupted`, so that it returns; false: it waits for no answer. From any
  // thread.
  bool Abandon();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace turnlog
