// Exports a session of Claude Code as its files.
#pragma once

#include <filesystem>

#include "turnlog/migrate/export.h"

namespace turnlog {

// Writes the file of the conversation, and those of the conversations below it: subagents and long outputs. Each is as
// ExportSession writes it; one that is there already with the same contents stays. kConflict: it has others.
Status ExportClaudeFiles(Log& log, const ConversationId& conversation, const std::filesystem::path& to,
                         const ExportOptions& options, ExportReport& report);

}  // namespace turnlog
