// Records whose text is not valid, and whose bytes precede their events, that their tool has changed.
#include <utility>

#include "base/try.h"
#include "migrate/import/conversation_import.h"
#include "migrate/logged/quarantine.h"
#include "migrate/sources/item_encoder.h"

namespace turnlog {
namespace {

// Whether the event follows the bytes of its record, as those of no other record do.
bool FollowsOriginal(const EventView& event) { return !event.source_text && !ReadQuarantined(event); }

}  // namespace

// The text of the record was valid when it was imported: its bytes are compared with those of now as its first event's.
Status ConversationImport::JoinOriginal(const StoredEvent& stored, std::size_t& at) {
  if (!revisions_ || at + 1 >= waiting_.size() || OriginalText(stored.event)) return {};
  const auto original = OriginalText(waiting_[at].View());
  EventView first = waiting_[at + 1].View();
  if (!original || !FollowsOriginal(first)) return {};
  if (!MayBeRedacted(stored, first) && !TURNLOG_TRY(IsSame(stored, first))) return {};
  first.source_text = *original;
  waiting_[at + 1].held = TURNLOG_TRY(EncodeChecked(first));
  ++at;
  ++stored_->matched;
  return {};
}

// Whether both are the bytes of the same record, which has others now.
Result<bool> ConversationImport::HasOtherOriginal(const StoredEvent& stored, std::size_t at) {
  if (!revisions_ || at + 1 >= waiting_.size()) return false;
  if (!OriginalText(stored.event) || !OriginalText(waiting_[at].View())) return false;
  const EventView first = waiting_[at + 1].View();
  if (!FollowsOriginal(first)) return false;
  StoredEvents record = TURNLOG_TRY(StoredEvents::Open(run_.log(), id_, Seq{stored.seq.value + 1}));
  const auto known = TURNLOG_TRY(record.Next());
  return known && TURNLOG_TRY(IsSame(*known, first));
}

}  // namespace turnlog
