// Who decided what in a conversation: the outcomes of inquiries and the denials of tool calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "turnlog/damage.h"
#include "turnlog/event.h"
#include "turnlog/log.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

// A decision that was not accepted as the last word, so that a person was asked.
struct EarlierNo {
  std::string inquiry;  // empty: the question itself says so
  std::string by, reason;
};

struct Decision {
  Seq seq;  // of the response; 0: inserted by a repair
  Turn turn;
  std::optional<Timestamp> time;
  std::string inquiry;                  // its id; empty: a denial
  std::optional<InquiryRequest> asked;  // none: an unmatched response, or a denial
  std::string outcome;  // "answered: true", "cancelled: user", "denied", "edited: {...}": other arguments
  std::string by, reason;
  std::string rule;                       // of the repair that has inserted or moved it
  std::optional<ToolCallRequest> call;    // that it is about, with its exact arguments
  std::vector<EarlierNo> escalated_from;  // the nearest first
};

// Of the sanitized view, in order; texts as stored, not made safe for terminals. kNotFound: there is no such
// conversation. Pairs within the turn, as OpenRequests does. Memory: the decisions and one turn. `damage`: gets what is
// left out, without which some decisions may lack their question or call; null: damage is kCorruption.
Result<std::vector<Decision>> ReadDecisions(Log& log, const ConversationId& conversation,
                                            std::vector<Damage>* damage = nullptr);

}  // namespace turnlog
