#include "service/event_field.h"

#include <variant>

#include "base/try.h"
#include "turnlog/event_json.h"

namespace turnlog {

Status WriteEventField(Log& log, const ConversationId& conversation, Seq seq, std::string_view name, JsonWriter& json,
                       std::size_t most) {
  const auto cursor = TURNLOG_TRY(log.ReadRaw(conversation, {.from = seq, .limit = 1}));
  const Item item = TURNLOG_TRY(cursor->Next());
  const auto* record = std::get_if<Record>(&item);
  if (record == nullptr || record->payload.size() > most) return {};
  const EventView event = TURNLOG_TRY(record->Decode());
  json.Key(name);
  AppendJson(event, record->conversation, record->seq, json.Value());
  return {};
}

}  // namespace turnlog
