// Records that the log has as foreign events, because an earlier version of turnlog understood nothing of them.
#include <algorithm>
#include <string>

#include "base/try.h"
#include "migrate/import/conversation_import.h"
#include "migrate/import/seen_records.h"
#include "migrate/records/foreign_event.h"
#include "migrate/records/record_writer.h"

namespace turnlog {
namespace {

bool IsTurnStart(const EventView& event) { return event.kind() == EventKind::kTurnStart; }

}  // namespace

// Whether the record at waiting_[at] has the bytes of this one of the log, which stays as it is: what it became now is
// not compared.
Result<bool> ConversationImport::PassForeign(const StoredEvent& stored, std::size_t at) {
  if (!revisions_ || stored.erased || stored.redacted) return false;
  if (!ReadForeign(stored.event) || !BeginsRecord(stored.event) || !BeginsRecord(waiting_[at].View())) return false;
  std::string before, now;
  RecordWriter().Add(stored.event, before);
  RecordWriter writer;
  std::size_t end = at;
  bool begins_turn = false;
  do {
    const EventView event = waiting_[end].View();
    begins_turn |= IsTurnStart(event);
    writer.Add(event, now);
  } while (++end < waiting_.size() && !BeginsRecord(waiting_[end].View()));
  if (WithoutSeparators(before) != WithoutSeparators(now)) return false;
  passed_turn_start_ |= begins_turn;
  order_.reset();
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(at),
                 waiting_.begin() + static_cast<std::ptrdiff_t>(end));
  stored_->matched += end - at;
  return true;
}

// Where a turn began with such a record, the log has its beginning before the next one.
bool ConversationImport::PassTurnStart(const StoredEvent& stored, std::size_t at) {
  if (!passed_turn_start_ || !IsTurnStart(stored.event) || IsTurnStart(waiting_[at].View())) return false;
  passed_turn_start_ = false;
  return true;
}

}  // namespace turnlog
