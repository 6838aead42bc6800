#include "service/retried_append.h"

#include <algorithm>
#include <string>

#include "base/try.h"
#include "schema/event/codec.h"

namespace turnlog {
namespace {

// Whether the events after `last` are these.
Result<bool> AreThere(Log& log, const ConversationId& conversation, std::span<const EventView> events, Seq last) {
  EventEncoder encoder;
  const auto cursor = TURNLOG_TRY(log.ReadRaw(conversation, {.from = {last.value + 1}, .limit = events.size()}));
  for (const EventView& event : events) {
    const Item item = TURNLOG_TRY(cursor->Next());
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr || record->payload != encoder.Encode(event)) return false;
  }
  return true;
}

AppendResult ResultAfter(Seq last, std::size_t count) {
  AppendResult result;
  for (std::size_t i = 1; i <= count; ++i) result.events.push_back({{last.value + i}, false, false});
  return result;
}

}  // namespace

Result<AppendResult> AppendAgain(Log& log, const ConversationId& conversation, std::span<const EventView> events,
                                 const AppendOptions& options) {
  const bool named = std::ranges::all_of(events, [](const EventView& event) { return event.event_id.has_value(); });
  if (!named && !options.expected_last) {
    return std::unexpected(Error{ErrorCode::kIo,
                                 "the service was stopped while it appended events without event_id: they may have "
                                 "been written; read the conversation to find out"});
  }
  auto appended = log.Append(conversation, events, options);
  const bool conflict = !appended && appended.error().code == ErrorCode::kConflict;
  if (!conflict || events.empty()) return appended;
  for (const EventView& event : events) TURNLOG_TRY(Validate(event));
  if (!TURNLOG_TRY(AreThere(log, conversation, events, *options.expected_last))) return appended;
  if (options.durability == Durability::kSync) TURNLOG_TRY(log.Checkpoint());
  return ResultAfter(*options.expected_last, events.size());
}

}  // namespace turnlog
