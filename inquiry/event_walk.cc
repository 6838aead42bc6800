#include "inquiry/event_walk.h"

#include "base/try.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

Result<Walk> Visit(const Item& item, const EventVisitor& visit) {
  if (const auto* record = std::get_if<Record>(&item)) return visit(record->seq, TURNLOG_TRY(record->Decode()));
  const auto& erased = std::get<Erased>(item);
  const Event mark = erased.kind == EventKind::kTurnStart ? Event{.body = TurnStart{}} : ErasedMark(erased.kind);
  return visit(erased.seq, View(mark));
}

}  // namespace

Status WalkEvents(Log& log, const ConversationId& conversation, const ReadOptions& options, const EventVisitor& visit) {
  const auto cursor = TURNLOG_TRY(log.ReadRaw(conversation, options));
  for (;;) {
    const Item item = TURNLOG_TRY(cursor->Next());
    if (std::holds_alternative<EndOfLog>(item)) return {};
    if (const auto* damage = std::get_if<Damage>(&item)) {
      return std::unexpected(Error{ErrorCode::kCorruption, ToString(*damage)});
    }
    if (TURNLOG_TRY(Visit(item, visit)) == Walk::kEnd) return {};
  }
}

}  // namespace turnlog
