#include "turnlog/migrate/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/file_system.h"
#include "base/try.h"
#include "migrate/codex/thread_index.h"
#include "migrate/export/new_folder.h"
#include "migrate/sessions/export_session.h"
#include "migrate/sessions/loaded_session.h"
#include "migrate/sessions/record_session.h"
#include "migrate/sessions/session_files.h"

namespace turnlog {
namespace {

std::unexpected<Error> Refuse(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

Status Check(SessionTool tool, const std::string& session, std::string_view text) {
  const LoadedSession loaded = TURNLOG_TRY(LoadSession(tool, text));
  if (loaded.id != session) return Refuse(ErrorCode::kCorruption, fmt::format("it is the session {}", loaded.id));
  if (loaded.unreachable > 0) {
    return Refuse(ErrorCode::kCorruption, fmt::format("{} messages would not be loaded", loaded.unreachable));
  }
  for (const ProviderFinding& finding : TURNLOG_TRY(LintRequest(loaded.provider, loaded.messages))) {
    if (finding.rule->verdict != Verdict::kRefused) continue;
    return Refuse(ErrorCode::kCorruption, fmt::format("breaks the rule {} at {}", finding.rule->id, finding.pointer));
  }
  return {};
}

using Exporter = Status (*)(Log&, SessionTool, const ConversationId&, const ExportSink&, const ExportOptions&,
                            ExportReport&);

Status ExportRepaired(Log& log, SessionTool tool, const ConversationId& conversation, const ExportSink& sink,
                      const ExportOptions& /*options*/, ExportReport& report) {
  return ExportRecordSession(log, tool, conversation, sink, report);
}

// One that passes.
struct PassingSession {
  std::string id, text;
};

// What the tool itself has written may break a rule even where no event says so: then the last turn is closed, and if
// that does not help, the whole session is written from the events, as another one.
Result<PassingSession> MakePassing(Log& log, const ConversationId& conversation, SessionTool tool,
                                   const ExportOptions& options, ExportReport& report) {
  std::vector<std::pair<Exporter, std::string>> exporters;
  const bool has_records = TURNLOG_TRY(HasRecordsOf(log, tool, conversation));
  // opencode's records are no document
  if (tool != SessionTool::kOpencodeCli && TURNLOG_TRY(IsAsImported(log, ToString(tool), conversation))) {
    exporters.emplace_back(&ExportSession, conversation.text());
  }
  if (has_records) exporters.emplace_back(&ExportRepaired, conversation.text());
  exporters.emplace_back(&MakeSession, SessionIdOf(tool, conversation.text()));
  Status checked;
  for (const auto& [exporter, session] : exporters) {
    std::string text;
    const auto sink = [&](std::string_view piece) { return text += piece, Status(); };
    report = {};
    TURNLOG_TRY(exporter(log, tool, conversation, sink, options, report));
    checked = Check(tool, session, text);
    if (checked) return PassingSession{session, std::move(text)};
  }
  return Refuse(checked.error().code,
                fmt::format("{} as a session of {}: {}", conversation.text(), ToString(tool), checked.error().message));
}

// The first prompt, on one line.
Result<std::string> TitleOf(Log& log, const ConversationId& conversation) {
  constexpr std::size_t kMaxTitle = 80;
  const auto cursor = TURNLOG_TRY(log.Read(conversation));
  for (;;) {
    const Item item = TURNLOG_TRY(cursor->Next());
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return "Exported by turnlog";
    if (record->kind != EventKind::kChatRequest) continue;
    const EventView event = TURNLOG_TRY(record->Decode());
    const auto* request = std::get_if<ChatRequestView>(&event.body);
    if (request == nullptr || request->author == "harness") continue;
    std::size_t end = std::min({request->content.size(), request->content.find('\n'), kMaxTitle});
    while (end > 0 && end < request->content.size() && (request->content[end] & '\xC0') == '\x80') --end;
    return std::string(request->content.substr(0, end));
  }
}

Status WriteSession(const std::filesystem::path& path, std::string_view text) {
  NewFile file = TURNLOG_TRY(NewFile::Create(path));
  file.output().buffer() = text;
  return file.Finish();
}

}  // namespace

Result<ResumeReport> WriteForResume(Log& log, const ConversationId& conversation, const ResumeTarget& target,
                                    const ExportOptions& options, bool dry_run) {
  ExportOptions session = options;
  session.raw = false;
  session.folder = target.folder.string();
  const ConversationInfo info = TURNLOG_TRY(log.Info(conversation));
  const Timestamp begin = TURNLOG_TRY(FindBegin(log, conversation));
  ResumeReport report;
  const auto [id, text] = TURNLOG_TRY(MakePassing(log, conversation, target.tool, session, report.changes));
  report.session = id;
  report.file = SessionFile(target, report.session, begin, text);
  if (const auto existing = FindSessionFile(target, report.session, report.file)) {
    const std::string there = TURNLOG_TRY(ReadFile(PosixFileSystem(), *existing));
    if (there != text) {
      return Refuse(ErrorCode::kConflict, fmt::format("{} has this session with other contents: {}",
                                                      ToString(target.tool), existing->string()));
    }
    report.file = *existing;
  }
  report.command = ResumeCommand(target, report.session, report.file);
  const auto index = target.tool == SessionTool::kCodexCli ? TURNLOG_TRY(CodexThreadIndex::Open(target.root)) : nullptr;
  if (index != nullptr) report.database = index->path();
  if (dry_run) return report;
  TURNLOG_TRY(WriteSession(report.file, text));
  if (index != nullptr) {
    const std::string title = TURNLOG_TRY(TitleOf(log, conversation));
    (void)TURNLOG_TRY(index->Add({.id = report.session,
                                  .folder = target.folder.string(),
                                  .title = title,
                                  .rollout = report.file,
                                  .created = begin,
                                  .updated = info.last_time.value_or(begin)}));
  }
  return report;
}

}  // namespace turnlog
