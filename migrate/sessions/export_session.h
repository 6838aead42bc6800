// Exports a conversation as a session that a tool resumes.
#pragma once

#include "turnlog/migrate/export.h"
#include "turnlog/migrate/session_tool.h"

namespace turnlog {

// With `options.raw`, and if nothing was changed since it was imported from the tool's format: the bytes that were
// imported. Otherwise the sanitized view: what was imported from Claude Code or Codex keeps its records, as
// ExportRecordSession writes them, and everything else is written new.
Status ExportSession(Log& log, SessionTool tool, const ConversationId& conversation, const ExportSink& sink,
                     const ExportOptions& options, ExportReport& report);

// Whether the conversation was imported from `format`, and its sanitized view is what was imported: nothing was
// repaired, redacted, erased, damaged or appended.
Result<bool> IsAsImported(Log& log, std::string_view format, const ConversationId& conversation);

// When a session begins: the first time that its first turn names. Later events do not change it once that turn is
// over.
Result<Timestamp> FindBegin(Log& log, const ConversationId& conversation);

// The sanitized view, in a new session.
Status MakeSession(Log& log, SessionTool tool, const ConversationId& conversation, const ExportSink& sink,
                   const ExportOptions& options, ExportReport& report);

// For the table of a format.
template <SessionTool kTool>
Status ExportSessionOf(Log& log, const ConversationId& conversation, const ExportSink& sink,
                       const ExportOptions& options, ExportReport& report) {
  return ExportSession(log, kTool, conversation, sink, options, report);
}

}  // namespace turnlog
