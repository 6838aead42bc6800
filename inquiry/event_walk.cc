#include "inquiry/event_walk.h"

#include "base/try.h"

namespace turnlog {

Status WalkEvents(Log& log, const ConversationId& conversation, const ReadOptions& options,
                  const std::function<Result<Walk>(const Record&, const EventView&)>& visit) {
  const auto cursor = TURNLOG_TRY(log.ReadRaw(conversation, options));
  for (;;) {
    const Item item = TURNLOG_TRY(cursor->Next());
    if (std::holds_alternative<EndOfLog>(item)) return {};
    if (const auto* damage = std::get_if<Damage>(&item)) {
      return std::unexpected(Error{ErrorCode::kCorruption, ToString(*damage)});
    }
    const Record& record = std::get<Record>(item);
    const EventView event = TURNLOG_TRY(record.Decode());
    if (TURNLOG_TRY(visit(record, event)) == Walk::kEnd) return {};
  }
}

}  // namespace turnlog
