// The conversation in which a session of an agent tool is recorded while it runs.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "hooks/hook_event.h"
#include "turnlog/hooks/agent_hook.h"
#include "turnlog/inquiry/turn_recorder.h"
#include "turnlog/log.h"

namespace turnlog {

// The hooks of one session run beside each other, each for a moment.
class SessionTurn {
 public:
  // `log` must outlive it.
  SessionTurn(Log& log, ConversationId conversation, AgentTool tool, const HookEvent& event);

  // The session's folder and the like, as a `config_delta`.
  Status Describe();
  // A turn begins with what the user says. What is open is closed.
  Status Begin(const std::string& prompt);
  // Runs `step` on the last turn, and leaves open what it leaves open. If there is no turn, one is begun. If another
  // hook writes meanwhile, `step` runs again on what there is now. A conflict that remains is returned.
  Status Write(const std::function<Status(TurnRecorder& recorder)>& step);
  // The same, but without a turn nothing is done.
  Status WriteIfBegun(const std::function<Status(TurnRecorder& recorder)>& step);
  // Nothing goes on: what is open is closed, and the model's last words are recorded.
  Status End(const std::string& last_words);
  // The same, and the turn has failed.
  Status Fail(const std::string& why);

  Log& log() const { return log_; }
  const ConversationId& conversation() const { return conversation_; }

 private:
  Result<Event> Description() const;
  Status Append(std::span<const Event> events, std::optional<Seq> expected_last);
  Status BeginUnlessBegun();

  Log& log_;
  const ConversationId conversation_;
  const AgentTool tool_;
  const HookEvent& event_;
};

}  // namespace turnlog
