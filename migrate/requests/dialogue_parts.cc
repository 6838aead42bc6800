#include "turnlog/migrate/dialogue_parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/try.h"
#include "migrate/logged/copied_history.h"
#include "migrate/logged/imported_events.h"
#include "migrate/records/foreign_event.h"
#include "migrate/records/json_object.h"
#include "turnlog/event_walk.h"

namespace turnlog {
namespace {

// The conversation that this one has copied; nothing: none, or the log did not have it.
Result<std::optional<ConversationId>> FindOrigin(Log& log, const ConversationPart& part) {
  const auto imports = TURNLOG_TRY(FindImports(log, part.conversation, part.last));
  if (!imports) return std::nullopt;
  if (imports->last.HasPart(kOriginMissingPart)) return std::nullopt;
  for (const std::string_view name : {kResumedFromPart, kForkedFromPart}) {
    if (auto id = ConversationId::Parse(imports->last.Part(name))) return *std::move(id);
  }
  return std::nullopt;
}

// The ids of the copied records, and when they were copied.
struct Copied {
  std::set<std::string, std::less<>> ids;
  std::optional<Timestamp> at;
};

Result<Copied> ReadCopied(Log& log, const ConversationId& conversation) {
  Copied copied;
  const auto cursor = TURNLOG_TRY(log.ReadRaw(conversation));
  TURNLOG_TRY(WalkEvents(*cursor, [&](const Record&, const EventView& event) {
    const auto foreign = ReadForeign(event);
    const auto record = foreign ? JsonObject::Parse(*foreign) : std::nullopt;
    if (!record) return Result<Walk>(Walk::kOn);
    if (!copied.at) copied.at = event.timestamp;  // a copy gets the time at which it was made
    auto id = record->Object("forkedFrom").String("messageUuid");
    if (!id) id = record->String("uuid");
    if (id) copied.ids.insert(*std::move(id));
    return Result<Walk>(Walk::kOn);
  }));
  return copied;
}

// The last event of the origin that was copied, by the ids of records, or where these have none, by the time; 0: none
// is known.
Result<Seq> FindEnd(Log& log, const ConversationId& origin, const Copied& copied) {
  Seq by_id, by_time;
  const auto cursor = TURNLOG_TRY(log.ReadRaw(origin));
  TURNLOG_TRY(WalkEvents(*cursor, [&](const Record& record, const EventView& event) {
    const std::string_view id = event.event_id.value_or("");
    if (copied.ids.contains(id.substr(0, id.find('#')))) by_id = record.seq;
    if (copied.at && event.timestamp && *event.timestamp <= *copied.at) by_time = record.seq;
    return Result<Walk>(Walk::kOn);
  }));
  return copied.ids.empty() ? by_time : by_id;
}

}  // namespace

Result<std::vector<ConversationPart>> FindDialogueParts(Log& log, const ConversationId& conversation) {
  std::vector<ConversationPart> parts{{conversation, TURNLOG_TRY(log.Info(conversation)).last}};
  for (;;) {
    const auto origin = TURNLOG_TRY(FindOrigin(log, parts.back()));
    const auto is_known = [&](const ConversationPart& part) { return part.conversation == *origin; };  // forged, then
    if (!origin || std::ranges::any_of(parts, is_known)) break;
    if (TURNLOG_TRY(LastSeq(log, *origin)).value == 0) break;
    const Copied copied = TURNLOG_TRY(ReadCopied(log, parts.back().conversation));
    const Seq end = TURNLOG_TRY(FindEnd(log, *origin, copied));
    if (end.value == 0) break;
    parts.push_back({*origin, end});
  }
  std::ranges::reverse(parts);
  return parts;
}

}  // namespace turnlog
