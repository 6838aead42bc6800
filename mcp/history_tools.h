// The tools of the server: what an agent may ask about the history.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mcp/damage_notes.h"
#include "mcp/repeated_secrets.h"
#include "mcp/tool_arguments.h"
#include "transcript/secret_filter.h"
#include "turnlog/log.h"

namespace turnlog {

struct ToolCall {
  Log& log;
  ToolArguments& arguments;
  SecretFilter& filter;
  RepeatedSecrets& repeated;
  DamageNotes& damage;
};

struct HistoryTool {
  std::string_view name;
  std::string_view description;  // for a model
  std::string_view schema;       // of the arguments, as JSON
  Result<std::string> (*run)(ToolCall& call);
};

std::span<const HistoryTool> HistoryTools();

}  // namespace turnlog
