// An event of an agent tool, as a hook gets it.
#pragma once

#include <string>
#include <string_view>

#include "turnlog/json.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

// Fields that an event does not have are empty.
struct HookEvent {
  std::string name;  // hook_event_name
  std::string session, folder, transcript, model;
  std::string tool, call;  // its name, and the id of the call
  Json arguments;          // of the call
  Json response;           // its result
  std::string text;        // what the user or the model said, or the error of the call
  std::string topic;       // of a notification

  // In which the session is recorded while it runs. An import of the session's file has a conversation of its own.
  Result<ConversationId> Conversation() const;
};

// kInvalidArgument: it is no JSON object, or has no session or name.
Result<HookEvent> ParseHookEvent(std::string_view json);

}  // namespace turnlog
