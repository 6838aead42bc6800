// Puts a conversation where another tool looks for its sessions, so that the tool can go on with it.
// docs/formats/sessions.md describes the sessions, and where each tool looks.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "turnlog/log.h"
#include "turnlog/migrate/export.h"
#include "turnlog/migrate/session_tool.h"
#include "turnlog/result.h"

namespace turnlog {

struct ResumeTarget {
  SessionTool tool{};
  std::filesystem::path root;    // the tool's own folder, e.g. ~/.codex
  std::filesystem::path folder;  // in which the session is to go on: absolute, without links
};

// The folder of the tool for this home, if no variable of the environment says otherwise.
std::filesystem::path ToolRoot(SessionTool tool, const std::filesystem::path& home);
// The variable that names the folder, or the one around it; null: there is none.
const char* ToolRootVariable(SessionTool tool);
std::filesystem::path ToolRootFrom(SessionTool tool, const std::filesystem::path& value_of_variable);

struct ResumeReport {
  std::string session;             // its id
  std::filesystem::path file;      // that was written, or would be
  std::filesystem::path database;  // to which a row was added; empty: none
  std::string command;             // for a shell
  ExportReport changes;            // of the session
};

// Writes the file of the session and, if Codex keeps an index, a row of it. Private, atomic, and never over another
// file: kConflict if the tool has a session with this id and other contents. Before anything is written, the session is
// loaded by the tool's own rules and checked by those of its provider: kCorruption if it does not pass. What was
// imported from the tool's own format is written as it is if it passes, otherwise repaired, otherwise from its events.
// kUnsupportedVersion: the index needs something that turnlog does not know. `options`: as for exports; `folder` and
// `raw` are not used. `dry_run`: checks everything and writes nothing.
Result<ResumeReport> WriteForResume(Log& log, const ConversationId& conversation, const ResumeTarget& target,
                                    const ExportOptions& options, bool dry_run);

// The name that Claude Code gives the folder of a project.
std::string ClaudeProjectName(std::string_view folder);

}  // namespace turnlog
