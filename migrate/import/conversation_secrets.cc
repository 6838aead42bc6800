#include "migrate/import/conversation_secrets.h"

#include "base/try.h"
#include "migrate/compare/event_meaning.h"
#include "migrate/sources/item_encoder.h"

namespace turnlog {

Result<std::optional<Event>> ConversationSecrets::RemoveFound(const EventView& event) {
  if (found_ == nullptr) return std::nullopt;
  return TURNLOG_TRY(found_->Redact(event)).event;
}

Result<std::optional<Event>> ConversationSecrets::Remove(const EventView& event) {
  auto without_found = TURNLOG_TRY(RemoveFound(event));
  auto without = TURNLOG_TRY(redacted().Remove(without_found ? View(*without_found) : event));
  return without ? without : without_found;
}

Status ConversationSecrets::RemoveRedacted(std::span<WaitingEvent> waiting) {
  if (redacted().empty()) return {};
  for (WaitingEvent& event : waiting) {
    auto without = TURNLOG_TRY(redacted().Remove(event.View()));
    if (!without) continue;
    event.held = TURNLOG_TRY(EncodeChecked(View(*without)));
    if (event.remarks == nullptr) event.remarks = std::make_unique<SourceRemarks>();
    if (event.remarks->note.empty()) {
      event.remarks->note = {ImportProblemCode::kSecretRedacted, "repeats what has been redacted in the log"};
    }
  }
  return {};
}

Result<bool> ConversationSecrets::AreSame(const EventView& stored, const EventView& event, const Format& format) {
  if (MeanTheSame(stored, event, format)) return true;
  const auto without_found = TURNLOG_TRY(RemoveFound(stored));
  if (without_found && MeanTheSame(View(*without_found), event, format)) return true;
  const auto without = TURNLOG_TRY(redacted().Remove(event));
  return without && MeanTheSame(stored, View(*without), format);
}

}  // namespace turnlog
