#include "migrate/claude_code/export.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/try.h"
#include "migrate/claude_code/converter.h"
#include "migrate/claude_code/session.h"
#include "migrate/export/new_folder.h"
#include "migrate/logged/imported_events.h"
#include "migrate/sessions/export_session.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// What an import could have read it from.
bool IsClaudeFile(const fs::path& path) {
  const bool output = path.has_parent_path() && path.parent_path().filename() == "tool-results";
  return IsSafePath(path) && (output || path.extension() == ".jsonl");
}

Status WriteMeta(const ImportRecord& record, const fs::path& path) {
  if (!record.HasPart(kMetaPart)) return {};
  fs::path name = path;
  NewFile file = TURNLOG_TRY(NewFile::Create(name.replace_extension() += kMetaExtension));
  file.output().buffer() = record.Part(kMetaPart);
  return file.Finish();
}

std::unexpected<Error> Refuse(const ConversationId& conversation, std::string_view reason) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("{}: {}", conversation.text(), reason)});
}

// A conversation of another origin, as the session that Claude Code knows by its id.
Status ExportForeign(Log& log, const ConversationId& conversation, const fs::path& to, const ExportOptions& options,
                     ExportReport& report) {
  if (options.raw) return Refuse(conversation, "was not imported from claude-code");
  NewFile file = TURNLOG_TRY(NewFile::Create(to / (SessionIdOf(SessionTool::kClaude, conversation.text()) + ".jsonl")));
  const auto sink = [&](std::string_view piece) {
    file.output().buffer() += piece;
    return file.output().FlushIfFull();
  };
  TURNLOG_TRY(ExportSession(log, SessionTool::kClaude, conversation, sink, options, report));
  return file.Finish();
}

// The name of its file in the folder of its project; empty: it has none.
fs::path PathIn(const ImportRecord& record) {
  return record.HasPart(kFilePart) ? record.Part(kFilePart) : record.source;
}

// The conversation whose file has the records: of a sidechain, the session that it is told in, if the log has that.
Result<ConversationId> WithFileOf(Log& log, const ConversationId& conversation) {
  const auto imports = TURNLOG_TRY(FindImports(log, conversation));
  if (!imports || imports->last.format != kClaudeCode || !PathIn(imports->last).empty()) return conversation;
  const auto session = ConversationId::Parse(imports->last.Part(kParentPart));
  const bool known = session && TURNLOG_TRY(LastSeq(log, *session)).value > 0;
  return known ? *session : conversation;
}

// `below`: another conversation was asked for.
Status ExportOne(Log& log, const ConversationId& conversation, bool below, const fs::path& to,
                 const ExportOptions& options, ExportReport& report) {
  const auto imports = TURNLOG_TRY(FindImports(log, conversation));
  if (!imports || imports->last.format != kClaudeCode) {
    return below ? Status() : ExportForeign(log, conversation, to, options, report);
  }
  const ImportRecord& record = imports->last;
  const fs::path path = PathIn(record);
  if (path.empty() && below) return {};
  if (path.empty()) return Refuse(conversation, "its records are in the file of its session, which is not in the log");
  if (!IsClaudeFile(path)) return Refuse(conversation, "the name of its file cannot be used");
  NewFile file = TURNLOG_TRY(NewFile::Create(to / path));
  const auto sink = [&](std::string_view piece) {
    file.output().buffer() += piece;
    return file.output().FlushIfFull();
  };
  TURNLOG_TRY(ExportSession(log, SessionTool::kClaude, conversation, sink, options, report));
  TURNLOG_TRY(file.Finish());
  return WriteMeta(record, to / path);
}

}  // namespace

Status ExportClaudeFiles(Log& log, const ConversationId& conversation, const fs::path& to, const ExportOptions& options,
                         ExportReport& report) {
  constexpr std::size_t kPage = 256;
  const ConversationId session = TURNLOG_TRY(WithFileOf(log, conversation));
  TURNLOG_TRY(ExportOne(log, session, false, to, options, report));
  if (session != conversation) return {};
  const std::string below = conversation.text() + "/";
  for (std::string after = below;;) {
    const auto page = TURNLOG_TRY(log.List(after, kPage));
    for (const ConversationInfo& info : page) {
      if (!info.id.starts_with(below)) return {};
      const ConversationId child = TURNLOG_TRY(ConversationId::Parse(info.id));
      TURNLOG_TRY(ExportOne(log, child, true, to, options, report));
      after = info.id;
    }
    if (page.size() < kPage) return {};
  }
}

}  // namespace turnlog
