#include "turnlog/event_walk.h"

#include "base/try.h"

namespace turnlog {

Status WalkEvents(Cursor& cursor, const EventVisitor& visit) {
  return WalkItems(cursor, [&](const Item& item) -> Result<Walk> {
    if (const auto* damage = std::get_if<Damage>(&item)) {
      return std::unexpected(Error{ErrorCode::kCorruption, ToString(*damage)});
    }
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return Walk::kOn;
    const EventView event = TURNLOG_TRY(record->Decode());
    return visit(*record, event);
  });
}

}  // namespace turnlog
