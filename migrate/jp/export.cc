#include "migrate/jp/export.h"

#include <fmt/format.h>

#include <charconv>

#include "base/file_system.h"
#include "base/try.h"
#include "migrate/export/new_folder.h"
#include "migrate/jp/history_writer.h"
#include "migrate/jp/modern_writer.h"
#include "migrate/jp/reader.h"
#include "migrate/jp/record.h"
#include "migrate/jp/time.h"
#include "migrate/logged/imported_events.h"
#include "migrate/logged/stored_events.h"
#include "schema/event/import_event.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBaseConfig = "base_config.json", kMetadata = "metadata.json";

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
  Seq last;
  while (const auto event = TURNLOG_TRY(stored.NextIntact(damage))) {
    const bool follows = event->seq.value == last.value + 1;
    if (follows || !IsOwn(*event)) last = event->erased ? Seq{} : event->seq;
    if (IsOwn(*event)) continue;
    text.Add(event->event, follows);
    TURNLOG_TRY(output.FlushIfFull());
  }
  record.torn ? text.FinishTorn(*record.torn) : text.Finish(record.trailer);
  return output.Finish();
}

// The record of the last import; if that is damaged, the one before. Nothing if it did not come from jp.
std::optional<JpRecord> FindRecord(Log& log, const ConversationId& conversation, const ConversationInfo& info) {
  const auto imports = FindImports(log, conversation, info.last);
  return imports && *imports ? ReadJpRecord((*imports)->last) : std::nullopt;
}

// Files without which jp takes no conversation.
void AddRequiredFiles(const ConversationInfo& info, JpRecord& record) {
  record.files.try_emplace(std::string(kBaseConfig), "{}\n");
  record.files.try_emplace(std::string(kMetadata), fmt::format("{{\n  \"last_activated_at\": \"{}\"\n}}\n",
                                                               FormatJpTime(info.last_time.value_or(Timestamp{}))));
}

// The time that the folder's name stands for.
Timestamp StartOf(const JpRecord& record, const ConversationInfo& info) {
  constexpr std::int64_t kNanosPerDecisecond = 100'000'000;
  const auto id = JpConversationId(record.directory);
  if (!id) return info.first_time.value_or(Timestamp{});
  std::int64_t deciseconds = 0;
  std::from_chars(id->text().data(), id->text().data() + id->text().size(), deciseconds);
  return Timestamp{deciseconds * kNanosPerDecisecond};
}

Status WriteModernEvents(Log& log, const ConversationId& conversation, const ConversationInfo& info,
                         const ExportOptions& options, JpRecord& record, OutputFile& output, ExportReport& report) {
  JpModernWriter text(options.layout, StartOf(record, info), output.buffer());
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation, options));
  while (const auto event = TURNLOG_TRY(stored.NextIntact(report.damage))) {
    if (IsOwn(*event)) continue;
    text.Add(event->event);
    TURNLOG_TRY(output.FlushIfFull());
  }
  text.Finish();
  report.left_out += text.left_out();
  const std::string config = record.packed_config ? ConfigOfDelta(*record.packed_config) : text.config();
  if (!config.empty()) record.files.try_emplace(std::string(kBaseConfig), JpFileLayout(config));
  return output.Finish();
}

}  // namespace

Status ExportJp(Log& log, const ConversationId& conversation, const fs::path& to, const ExportOptions& options,
                ExportReport& report) {
  const ConversationInfo info = TURNLOG_TRY(log.Info(conversation));
  std::optional<JpRecord> imported = FindRecord(log, conversation, info);
  const bool modern = !imported || options.layout != ExportLayout::kImported;
  JpRecord record = imported ? *std::move(imported) : JpRecord{.directory = FolderName(conversation.text())};
  NewFolder folder = TURNLOG_TRY(NewFolder::Create(to, FolderName(conversation.text())));
  OutputFile events = TURNLOG_TRY(OutputFile::Create(folder.path() / (modern ? kJpEventsFile : record.history)));
  if (modern) {
    TURNLOG_TRY(WriteModernEvents(log, conversation, info, options, record, events, report));
  } else {
    TURNLOG_TRY(WriteEvents(log, conversation, record, options, events, report.damage));
  }
  if (modern) AddRequiredFiles(info, record);
  for (const auto& [name, bytes] : record.files) TURNLOG_TRY(WriteNewFile(folder.path() / name, bytes));
  TURNLOG_TRY(PosixFileSystem().SyncDirectory(folder.path()));
  return folder.Rename((record.archived ? to / ".archive" : to) / record.directory);
}

}  // namespace turnlog
