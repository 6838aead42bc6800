#include "turnlog/migrate/export.h"

#include <fmt/format.h>

#include "base/file_system.h"
#include "base/try.h"
#include "migrate/concerns_log.h"
#include "migrate/format.h"
#include "migrate/import/source_outcome.h"
#include "migrate/requests/export_dialogue.h"
#include "migrate/requests/request_writer.h"

namespace turnlog {
namespace {

std::unexpected<Error> Unknown(std::string_view format, std::string_view what) {
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument, fmt::format("{}: not a format for exporting {}", format, what)});
}

Status CheckLayout(const Format& format, const ExportOptions& options) {
  if (options.layout == ExportLayout::kImported || format.has_layouts) return {};
  return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("{} has one layout only", format.name)});
}

template <class ExportOne>
Result<ExportReport> ExportEach(std::span<const ConversationId> conversations, ExportOne&& export_one) {
  ExportReport report;
  for (const ConversationId& conversation : conversations) {
    const Status status = export_one(conversation, report);
    if (!status && ConcernsLog(status.error().code)) return std::unexpected(status.error());
    if (status) {
      ++report.conversations;
    } else {
      report.failures.push_back({conversation.text(), status.error()});
    }
  }
  return report;
}

}  // namespace

Result<ExportReport> ExportToStream(Log& log, std::string_view format, std::span<const ConversationId> conversations,
                                    const ExportSink& sink, const ExportOptions& options) {
  const Format* known = FindFormat(format);
  const auto provider = options.raw ? std::nullopt : FindProvider(format);
  if (!provider && (known == nullptr || known->export_to_stream == nullptr)) return Unknown(format, "to a stream");
  if (!provider) TURNLOG_TRY(CheckLayout(*known, options));
  bool refused = false;
  const ExportSink watched = [&](std::string_view piece) {
    const Status status = sink(piece);
    refused = refused || !status;
    return status;
  };
  return ExportEach(conversations, [&](const ConversationId& conversation, ExportReport& books) -> Status {
    const Status status = provider ? ExportDialogue(log, WriterFor(*provider), conversation, watched, options, books)
                                   : known->export_to_stream(log, conversation, watched, options, books);
    if (refused && !status) return std::unexpected(Error{ErrorCode::kIo, status.error().message});
    return status;
  });
}

Result<ExportReport> ExportToFolder(Log& log, std::string_view format, std::span<const ConversationId> conversations,
                                    const std::filesystem::path& to, const ExportOptions& options) {
  const Format* known = FindFormat(format);
  if (known == nullptr || known->export_to_folder == nullptr) return Unknown(format, "to a folder");
  TURNLOG_TRY(CheckLayout(*known, options));
  TURNLOG_TRY(MakePrivateFolders(to));
  return ExportEach(conversations, [&](const ConversationId& conversation, ExportReport& books) {
    return known->export_to_folder(log, conversation, to, options, books);
  });
}

Result<bool> IsImportSource(Log& log, const std::filesystem::path& path) {
  for (std::filesystem::path part = path; !part.empty(); part = part.parent_path()) {
    if (TURNLOG_TRY(FindOutcome(log, part))) return true;
    if (part == part.parent_path()) break;
  }
  return false;
}

}  // namespace turnlog
