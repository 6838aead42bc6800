// The rows that a database has beside the messages of a conversation (records/record_revision.h).
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/try.h"
#include "migrate/import/conversation_import.h"
#include "migrate/records/record_revision.h"

namespace turnlog {

// Those beside the messages, which come first: the log has them anywhere.
Status ConversationImport::TakeRows() {
  std::size_t taken = 0;
  for (; taken < waiting_.size(); ++taken) {
    const auto name = ReadRowName(waiting_[taken].View());
    if (!name) break;
    if (TURNLOG_TRY(IsKnownRow(*name, waiting_[taken].View()))) {
      ++stored_->matched;
    } else {
      rows_.push_back(std::move(waiting_[taken]));
    }
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken));
  return {};
}

// What was redacted in a row does not come back.
Result<bool> ConversationImport::IsKnownRow(const std::string& name, const EventView& event) {
  const RevisedRecords::Last* known = revisions_->known().FindRow(name);
  if (known == nullptr) return false;
  if (known->hash == RevisedRecords::HashOfRow(event)) return true;
  if (!known->redacted && !MayHideSecrets() && source_.secrets == nullptr) return false;
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(run_.log(), id_, known->seq));
  const auto row = TURNLOG_TRY(stored.Next());
  if (!row) return false;
  if (MayHideSecrets() && IsUnrecognisable(row->event)) return true;
  if (known->redacted) Redacted().Learn(row->event, event);
  const auto redacted = TURNLOG_TRY(Redact(row->event));
  return known->redacted ||
         (redacted && RevisedRecords::HashOfRow(View(*redacted)) == RevisedRecords::HashOfRow(event));
}

// After the log was read, which shows all that was redacted: before what else is new.
Status ConversationImport::AddRows() {
  std::vector<WaitingEvent> fresh;
  for (WaitingEvent& row : std::exchange(rows_, {})) {
    const auto without = TURNLOG_TRY(Redacted().Remove(row.View()));
    const auto* known = without ? revisions_->known().FindRow(*ReadRowName(row.View())) : nullptr;
    const bool same = known != nullptr && known->hash == RevisedRecords::HashOfRow(View(*without));
    if (same) {
      ++stored_->matched;
    } else {
      fresh.push_back(std::move(row));
    }
  }
  added_rows_ += fresh.size();
  std::ranges::move(std::exchange(waiting_, std::move(fresh)), std::back_inserter(waiting_));
  return {};
}

// A source that has fewer messages than the log may have new rows.
Status ConversationImport::TakeOnlyRows() {
  while (TURNLOG_TRY(NextImported())) {
  }
  stored_->read = prepared_ = true;
  if (stored_->continued || stored_->origins.missing() > 0) {
    rows_.clear();
  } else {
    TURNLOG_TRY(AddRows());
    PrepareRecord(waiting_.size());
  }
  revisions_.reset();
  return {};
}

}  // namespace turnlog
