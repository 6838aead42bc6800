#include "migrate/jp/export.h"

#include <fmt/format.h>

#include "base/file_system.h"
#include "base/try.h"
#include "migrate/export/new_folder.h"
#include "migrate/import/imported_events.h"
#include "migrate/import/stored_events.h"
#include "migrate/jp/history_writer.h"
#include "migrate/jp/record.h"
#include "migrate/jp/time.h"
#include "schema/event/import_event.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// A record as jp needs it for a conversation that did not come from jp.
JpRecord MakeRecord(const ConversationId& conversation, const ConversationInfo& info) {
  JpRecord record;
  record.directory = FolderName(conversation.text());
  record.files["base_config.json"] = "{}\n";
  record.files["metadata.json"] =
      fmt::format("{{\n  \"last_activated_at\": \"{}\"\n}}\n", FormatJpTime(info.last_time.value_or(Timestamp{})));
  return record;
}

// Whether the event is unknown to jp.
bool IsOwn(const StoredEvent& event) {
  const EventKind kind = event.event.kind();
  return event.erased || kind == EventKind::kRepair || kind == EventKind::kRedaction || IsImportEvent(event.event);
}

Status WriteEvents(Log& log, const ConversationId& conversation, const JpRecord& record, const ExportOptions& options,
                   OutputFile& output, std::vector<Damage>& damage) {
  JpHistoryWriter text(output.buffer());
  if (record.packed_config) text.AddConfig(*record.packed_config);
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation, options));
  while (const auto event = TURNLOG_TRY(stored.NextIntact(damage))) {
    if (IsOwn(*event)) continue;
    text.Add(event->event);
    TURNLOG_TRY(output.FlushIfFull());
  }
  text.Finish(record.trailer);
  return output.Finish();
}

// The record of the last import; if that is damaged, the one before.
JpRecord FindRecord(Log& log, const ConversationId& conversation, const ConversationInfo& info) {
  const auto imports = FindImports(log, conversation, info.last);
  auto record = imports && *imports ? ReadJpRecord((*imports)->last) : std::nullopt;
  return record ? *std::move(record) : MakeRecord(conversation, info);
}

}  // namespace

Status ExportJp(Log& log, const ConversationId& conversation, const fs::path& to, const ExportOptions& options,
                ExportReport& report) {
  const ConversationInfo info = TURNLOG_TRY(log.Info(conversation));
  const JpRecord record = FindRecord(log, conversation, info);
  NewFolder folder = TURNLOG_TRY(NewFolder::Create(to, FolderName(conversation.text())));
  OutputFile events = TURNLOG_TRY(OutputFile::Create(folder.path() / "events.json"));
  TURNLOG_TRY(WriteEvents(log, conversation, record, options, events, report.damage));
  for (const auto& [name, bytes] : record.files) TURNLOG_TRY(WriteNewFile(folder.path() / name, bytes));
  TURNLOG_TRY(PosixFileSystem().SyncDirectory(folder.path()));
  return folder.Rename((record.archived ? to / ".archive" : to) / record.directory);
}

}  // namespace turnlog
