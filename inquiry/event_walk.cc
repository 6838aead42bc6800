#include "inquiry/event_walk.h"

#include "base/try.h"

namespace turnlog {

Status WalkEvents(Cursor& cursor, const EventVisitor& visit) {
  for (;;) {
    const Item item = TURNLOG_TRY(cursor.Next());
    if (std::holds_alternative<EndOfLog>(item)) return {};
    if (const auto* damage = std::get_if<Damage>(&item)) {
      return std::unexpected(Error{ErrorCode::kCorruption, ToString(*damage)});
    }
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) continue;
    const EventView event = TURNLOG_TRY(record->Decode());
    if (TURNLOG_TRY(visit(*record, event)) == Walk::kEnd) return {};
  }
}

}  // namespace turnlog
