#include "migrate/import/rows_beside_messages.h"

#include <utility>

#include "base/try.h"
#include "migrate/compare/seen_records.h"
#include "migrate/records/record_revision.h"

namespace turnlog {

Status RowsBesideMessages::Take(std::vector<WaitingEvent>& waiting) {
  std::size_t taken = 0;
  for (; taken < waiting.size(); ++taken) {
    const auto name = ReadRowName(waiting[taken].View());
    if (!name) break;
    if (TURNLOG_TRY(IsKnown(*name, waiting[taken].View()))) {
      ++logged_.matched;
    } else {
      rows_.push_back(std::move(waiting[taken]));
    }
  }
  waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(taken));
  return {};
}

// What was redacted in a row does not come back.
Result<bool> RowsBesideMessages::IsKnown(const std::string& name, const EventView& event) {
  ConversationSecrets& secrets = logged_.secrets;
  const RevisedRecords::Last* known = logged_.revisions->known().FindRow(name);
  if (known == nullptr) return false;
  if (known->hash == RevisedRecords::HashOfRow(event)) return true;
  if (!known->redacted && !secrets.may_be_hidden() && !secrets.looked_for()) return false;
  StoredEvents stored = TURNLOG_TRY(logged_.ReadFrom(known->seq));
  const auto row = TURNLOG_TRY(stored.Next());
  if (!row) return false;
  if (secrets.may_be_hidden() && IsUnrecognisable(row->event)) return true;
  if (known->redacted) secrets.redacted().Learn(row->event, event);
  const auto without = TURNLOG_TRY(secrets.RemoveFound(row->event));
  return known->redacted || (without && RevisedRecords::HashOfRow(View(*without)) == RevisedRecords::HashOfRow(event));
}

Result<std::vector<WaitingEvent>> RowsBesideMessages::TakeFresh() {
  std::vector<WaitingEvent> fresh;
  for (WaitingEvent& row : std::exchange(rows_, {})) {
    const auto without = TURNLOG_TRY(logged_.secrets.redacted().Remove(row.View()));
    const auto* known = without ? logged_.revisions->known().FindRow(*ReadRowName(row.View())) : nullptr;
    const bool same = known != nullptr && known->hash == RevisedRecords::HashOfRow(View(*without));
    if (same) {
      ++logged_.matched;
    } else {
      fresh.push_back(std::move(row));
    }
  }
  return fresh;
}

}  // namespace turnlog
