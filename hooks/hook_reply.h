// What a hook says to its tool.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "turnlog/hooks/agent_hook.h"
#include "turnlog/json.h"

namespace turnlog {

struct HookDecision {
  enum class Kind : std::uint8_t {
    kNone,  // the tool goes on as without a hook
    kAllow,
    kDeny,
  };

  Kind kind = Kind::kNone;
  std::string message = {};  // kDeny: for the model
  bool end_turn = false;     // kDeny: and the model is to say nothing more
  Json arguments = {};       // kAllow: in place of those of the call; empty: these
};

// The JSON for an event of this name; empty for kNone.
std::string ReplyText(AgentTool tool, std::string_view event, const HookDecision& decision);

}  // namespace turnlog
