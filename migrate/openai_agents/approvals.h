// What was decided about the calls of a run of the OpenAI Agents SDK, and the results of those that were rejected.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "migrate/openai_agents/decisions.h"
#include "migrate/records/json_object.h"
#include "turnlog/event.h"

namespace turnlog {

struct CallDecision {
  std::optional<bool> approved;  // nothing: the run waits for it
  bool for_this_call = false;    // and not for all calls of its tool
  std::optional<std::string> message;
};

// In a RunState. What was decided for one call goes before what was decided for all calls of its tool.
CallDecision ReadCallDecision(const JsonObject& state, const ToolOfRun& tool, std::string_view call);

// Makes the result of a rejected call a denied one. `decision`: about its call, if it is known.
void RecogniseRejection(const CallDecision& decision, ToolCallResponse& result);

}  // namespace turnlog
