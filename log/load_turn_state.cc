#include "turnlog/load_turn_state.h"

#include "base/try.h"
#include "turnlog/event_walk.h"

namespace turnlog {

Result<TurnState> LoadTurnState(Log& log, const ConversationId& conversation) {
  TurnState state;
  const auto cursor = TURNLOG_TRY(log.Read(conversation, {.last_turns = 1}));
  TURNLOG_TRY(WalkEvents(*cursor, [&](const Record& record, const EventView& event) {
    state.Apply(record.seq, event);
    return Result<Walk>(Walk::kOn);
  }));
  return state;
}

}  // namespace turnlog
