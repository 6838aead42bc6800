// The rows that an append writes, computed from the conversation's head before it. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "log/prepared_events.h"
#include "store/sql/conversation_head.h"
#include "store/sql/event_row.h"

namespace turnlog {

struct AppendPlan {
  struct TurnStart {
    std::uint64_t turn, seq;
  };
  struct EventId {
    Hash128 id;
    std::uint64_t seq;
  };
  struct Inquiry {  // one attempt; 0 = none
    Hash128 id;
    std::uint64_t turn, request, response;
    std::uint64_t first() const { return request != 0 ? request : response; }
  };

  ConversationHead before, after;
  std::vector<EventId> event_ids;
  std::vector<TurnStart> turns;
  std::vector<Inquiry> inquiries;  // new ones
  std::vector<Inquiry> answered;   // earlier ones, with their response
  std::vector<RepairRange> repairs;
  std::vector<EventRow> events;  // with whole payloads; ascending, without gaps

  std::uint64_t first_seq() const { return before.last_seq + 1; }
};

// Distinguishes an append from all others. Fits a signed column.
std::uint64_t NewAppendTag();

// REQUIRES: MarkRepeats(events, head.last_seq + 1, ...), at least one of them new. Payloads are views into `events`.
AppendPlan PlanAppend(const ConversationHead& head, const PreparedEvents& events, std::uint64_t tag);

}  // namespace turnlog
