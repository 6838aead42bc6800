// What the log has of a conversation that is imported again.
#include <fmt/format.h>

#include "base/try.h"
#include "migrate/import/conversation_import.h"
#include "migrate/logged/logged_records.h"
#include "migrate/records/record_revision.h"

namespace turnlog {

Status ConversationImport::OpenStored() {
  const Seq last = TURNLOG_TRY(LastSeq(run_.log(), id_));
  in_log_ = last.value > 0;
  return source_.record ? OpenImported(last) : OpenNumbered(last);
}

Status ConversationImport::OpenImported(Seq last) {
  auto imports = TURNLOG_TRY(FindImports(run_.log(), id_, last));
  if (!imports || imports->last.format != source_.format->name) {
    const std::string_view format = source_.format->name;
    return Refuse({ImportProblemCode::kOtherOrigin,
                   fmt::format("conversation {} is in the log and was not imported from {}", id_.text(), format)});
  }
  const ImportRecord& known = imports->last;
  if (HaveOtherLayouts(known, *source_.record)) {
    return Refuse({ImportProblemCode::kOtherOrigin,
                   fmt::format("conversation {} was imported from another form of {}, whose records cannot be compared",
                               id_.text(), source_.format->name)});
  }
  record_seq_ = imports->seq;
  up_to_date_ = !known.fingerprint.empty() && known.fingerprint == source_.record->fingerprint &&
                TURNLOG_TRY(IsComplete(run_.log(), id_, *imports, last));
  stored_ = std::make_unique<Stored>(
      Stored{.events = TURNLOG_TRY(StoredEvents::Open(run_.log(), id_)), .origins = {}, .imports = std::move(imports)});
  if (up_to_date_) {
    waiting_.clear();
    last_ = last;
  } else if (source_.format->import.has_templates) {
    const std::uint64_t count = stored_->imports->last.revisions;
    revisions_ = std::make_unique<RecordRevisions>(TURNLOG_TRY(RevisedRecords::Find(run_.log(), id_, count)));
  }
  return {};
}

Status ConversationImport::OpenNumbered(Seq last) {
  const Seq first = waiting_.front().seq.value == 0 ? Seq{1} : waiting_.front().seq;
  if (first.value > last.value + 1) {
    return Refuse(waiting_.front().location,
                  {ImportProblemCode::kGap,
                   fmt::format("begins at seq {}, but the log has {} events of it", first.value, last.value)});
  }
  last_ = Seq{first.value - 1};
  if (first <= last) {
    stored_ = std::make_unique<Stored>(
        Stored{.events = TURNLOG_TRY(StoredEvents::Open(run_.log(), id_, first)), .origins = {}, .imports = {}});
  }
  return {};
}

// The next event of the log that was imported from the source.
Result<std::optional<StoredEvent>> ConversationImport::NextImported() {
  for (;;) {
    auto event = TURNLOG_TRY(stored_->events.Next());
    if (!event) return std::nullopt;
    last_ = event->seq;
    if (!stored_->imports) return event;
    const EventKind kind = event->event.kind();
    switch (stored_->origins.Next(*event)) {
      case EventOrigin::kImported:
        if (!ReadRevision(event->event)) return event;
        break;
      case EventOrigin::kRecord:
        break;
      case EventOrigin::kOwn:
        stored_->continued |= kind != EventKind::kRepair && kind != EventKind::kRedaction;
    }
  }
}

// Whether turnlog itself (the sanitizer or a redaction) added the event to a conversation that keeps growing in its
// source.
bool ConversationImport::IsOwn(const StoredEvent& stored, const WaitingEvent& waiting) const {
  const EventKind kind = stored.event.kind();
  return !stored_->imports && kind != waiting.held.event.kind &&
         (kind == EventKind::kRepair || kind == EventKind::kRedaction);
}

}  // namespace turnlog
