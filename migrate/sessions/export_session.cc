#include "migrate/sessions/export_session.h"

#include <optional>
#include <utility>

#include "base/try.h"
#include "migrate/logged/imported_events.h"
#include "migrate/logged/quarantine.h"
#include "migrate/logged/stored_events.h"
#include "migrate/records/export_records.h"
#include "migrate/records/record_source.h"
#include "migrate/requests/export_dialogue.h"
#include "migrate/sessions/record_session.h"
#include "migrate/sessions/session_writer.h"
#include "turnlog/event_walk.h"

namespace turnlog {
namespace {

Status ExportImported(Log& log, SessionTool tool, const ConversationId& conversation, const ExportSink& sink,
                      ExportOptions options, ExportReport& report) {
  options.raw = true;
  bool wrote = false;
  const auto note = [&](std::string_view bytes) { return wrote |= !bytes.empty(), sink(bytes); };
  TURNLOG_TRY(ExportRecords(log, ToString(tool), conversation, note, options, report));
  if (wrote) return {};
  return std::unexpected(Error{ErrorCode::kInvalidArgument, "its records are in the file of its session"});
}

}  // namespace

Result<bool> IsAsImported(Log& log, std::string_view format, const ConversationId& conversation) {
  const auto imports = TURNLOG_TRY(FindImports(log, conversation));
  if (!imports || imports->last.format != format || imports->last.redacted) return false;
  if (const auto repairs = TURNLOG_TRY(log.Repairs(conversation)); !repairs.empty()) return false;
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation));
  EventOrigins origins;
  std::vector<Damage> damage;
  bool has_bytes = imports->last.HasPart(kHeaderPart) || imports->last.HasPart(kTrailerPart);
  while (const auto event = TURNLOG_TRY(stored.NextIntact(damage))) {
    const bool own = origins.Next(*event) == EventOrigin::kOwn;
    if (own || event->redacted || event->erased || !damage.empty()) return false;
    has_bytes |= event->event.source_text || ReadQuarantined(event->event);
  }
  return damage.empty() && has_bytes;
}

Status ExportSession(Log& log, SessionTool tool, const ConversationId& conversation, const ExportSink& sink,
                     const ExportOptions& options, ExportReport& report) {
  const bool as_imported = options.raw || TURNLOG_TRY(IsAsImported(log, ToString(tool), conversation));
  if (as_imported) return ExportImported(log, tool, conversation, sink, options, report);
  const bool has_records = TURNLOG_TRY(HasRecordsOf(log, tool, conversation));
  return has_records ? ExportRecordSession(log, tool, conversation, sink, report)
                     : MakeSession(log, tool, conversation, sink, options, report);
}

Result<Timestamp> FindBegin(Log& log, const ConversationId& conversation) {
  const auto cursor = TURNLOG_TRY(log.Read(conversation));
  std::optional<Timestamp> begin;
  bool has_request = false;
  TURNLOG_TRY(WalkEvents(*cursor, [&](const Record&, const EventView& event) {
    if (event.kind() == EventKind::kTurnStart && has_request) return Result<Walk>(Walk::kEnd);
    has_request = has_request || event.kind() == EventKind::kChatRequest;
    begin = event.timestamp;
    return Result<Walk>(begin ? Walk::kEnd : Walk::kOn);
  }));
  return begin.value_or(Timestamp{});
}

Status MakeSession(Log& log, SessionTool tool, const ConversationId& conversation, const ExportSink& sink,
                   const ExportOptions& options, ExportReport& report) {
  SessionFrame frame{.id = SessionIdOf(tool, conversation.text()),
                     .folder = options.folder.empty() ? "/" : options.folder,
                     .begin = TURNLOG_TRY(FindBegin(log, conversation))};
  return ExportDialogue(log, SessionWriterFor(tool, std::move(frame)), conversation, sink, options, report);
}

}  // namespace turnlog
