// The last turn of a conversation in a few words, for lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "turnlog/log.h"
#include "turnlog/turn_state.h"

namespace turnlog {

// A question that waits.
struct WaitingInquiry {
  std::string id;
  Seq seq, call;  // of its event, and of the call that asked it; 0: none
  std::optional<Timestamp> time;
  bool approval = false;  // whether a call may run (CallToApprove)
};

struct TurnSummary {
  Activity activity = Activity::kIdle;
  Seq last;                             // of the last event that belongs to the turn
  std::string asked, said, error;       // the beginnings of the user's and the model's last words, and of a final error
  bool failed = false;                  // the turn, as its recorder says
  std::string agent, folder;            // of the session, if a hook has described it (config_delta)
  std::vector<WaitingInquiry> waiting;  // oldest first
};

// From the sanitized view. Cost: the last turn, and the conversation's first events.
Result<TurnSummary> SummarizeTurn(Log& log, const ConversationId& conversation);

// At most so many bytes from the beginning, whole characters only.
std::string Excerpt(std::string_view text, std::size_t bytes);

}  // namespace turnlog
