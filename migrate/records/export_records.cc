#include "migrate/records/export_records.h"

#include <fmt/format.h>

#include <string>

#include "base/try.h"
#include "migrate/compare/seen_records.h"
#include "migrate/logged/imported_events.h"
#include "migrate/logged/stored_events.h"
#include "migrate/records/record_revision.h"
#include "migrate/records/record_source.h"
#include "migrate/records/record_writer.h"
#include "migrate/records/revised_records.h"

namespace turnlog {
namespace {

std::unexpected<Error> Refuse(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

Result<ImportRecord> FindRecord(Log& log, std::string_view format, const ConversationId& conversation) {
  auto imports = TURNLOG_TRY(FindImports(log, conversation));
  if (!imports || imports->last.format != format) {
    return Refuse(fmt::format("{}: was not imported from {}", conversation.text(), format));
  }
  return std::move(imports->last);
}

}  // namespace

Status ExportRecords(Log& log, std::string_view format, const ConversationId& conversation, const ExportSink& sink,
                     const ExportOptions& options, ExportReport& report) {
  constexpr std::size_t kPiece = std::size_t{256} << 10;
  if (!options.raw) return Refuse(fmt::format("{} can be exported only with --raw", format));
  const ImportRecord record = TURNLOG_TRY(FindRecord(log, format, conversation));
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation, options));
  const RevisedRecords revised = TURNLOG_TRY(RevisedRecords::Find(log, conversation, record.revisions));
  EventOrigins origins;
  RecordWriter writer;
  bool in_revised = false;
  std::string out(record.Part(kHeaderPart));
  const auto flush = [&]() -> Status {
    if (out.size() < kPiece || writer.in_record()) return {};
    TURNLOG_TRY(sink(out));
    return out.clear(), Status();
  };
  TURNLOG_TRY(revised.AddRows(out, flush));
  while (const auto event = TURNLOG_TRY(stored.NextIntact(report.damage))) {
    if (origins.Next(*event) != EventOrigin::kImported || ReadRevision(event->event)) continue;
    if (BeginsRecord(event->event)) {
      in_revised = !event->erased && revised.Has(event->seq);
      if (in_revised) TURNLOG_TRY(revised.Add(event->seq, out));
    }
    if (!in_revised) writer.Add(event->event, out);
    TURNLOG_TRY(flush());
  }
  return sink(out += record.Part(kTrailerPart));
}

}  // namespace turnlog
