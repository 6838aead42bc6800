// A conversation as its model is to see it, whatever the provider: from the sanitized view, ready to be turned into a
// request.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/log.h"

namespace turnlog {

// One turn to speak: of the user, of the model, or the results of the calls of one message.
struct PromptMessage {
  enum class Role : std::uint8_t { kUser, kModel, kTools };

  Role role = Role::kUser;
  std::string text;                       // kUser, kModel; of several events with a blank line between them
  std::string reasoning;                  // kModel
  std::vector<ToolCallRequest> calls;     // kModel
  std::vector<ToolCallResponse> results;  // kTools
  bool operator==(const PromptMessage&) const = default;
};

// Oldest first; those of one role that follow one another are one. Questions, configuration and events of unknown kinds
// are not for the model. kCorruption: an event is damaged, and what the model should see is not known.
Result<std::vector<PromptMessage>> ReadMessages(Log& log, const ConversationId& conversation,
                                                const ReadOptions& options = {});

}  // namespace turnlog
