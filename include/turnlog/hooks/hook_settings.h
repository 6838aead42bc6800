// The hooks in the settings of an agent tool: Claude Code's settings.json, and hooks.json of Codex.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "turnlog/hooks/agent_hook.h"
#include "turnlog/result.h"

namespace turnlog {

struct HookCommand {
  std::string program;               // the path of logctl
  std::string arguments;             // that follow "hook TOOL", for a shell
  std::chrono::seconds timeout{60};  // for which it waits for an answer
};

// The settings with the entries for this command, in place of those that were there for an earlier one; every other
// byte stays as it is. An empty text counts as {}. kInvalidArgument: the settings are not what the tool would take; the
// message names the byte or the field.
Result<std::string> WithHooks(AgentTool tool, std::string_view settings, const HookCommand& command);

// The settings without the entries of WithHooks, and without what is empty then.
Result<std::string> WithoutHooks(AgentTool tool, std::string_view settings);

}  // namespace turnlog
