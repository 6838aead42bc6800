#include "migrate/claude_code/format.h"

#include <array>

#include "migrate/claude_code/converter.h"
#include "migrate/claude_code/export.h"
#include "migrate/claude_code/session.h"
#include "migrate/claude_code/session_age.h"
#include "migrate/claude_code/usage.h"
#include "migrate/sessions/export_session.h"

namespace turnlog {
namespace {

constexpr std::array<std::string_view, 5> kSigns{R"("sessionId")", R"("uuid")", R"("parentUuid")", R"("leafUuid")",
                                                 R"("messageId")"};

Match MatchFile(const FileProbe& probe) {
  if (!probe.name.ends_with(".jsonl")) return Match::kNo;
  return HoldsClaudeRecords(probe.head) ? Match::kByContent : Match::kByName;
}

std::unique_ptr<SourceReader> Read(Source& source) {
  return std::make_unique<RecordSource>(kClaudeCode, ClaudeFiles(source));
}

}  // namespace

constinit const Format kClaudeCodeFormat{
    .name = kClaudeCode,
    .description = "sessions of Claude Code with their subagents: a file, a project, or ~/.claude/projects",
    .import = {.revision = 5,
               .match_file = MatchFile,
               .signs = kSigns,
               .uses_file = UsesClaudeFile,
               .read = Read,
               .record_files = ClaudeFiles,
               .conversations_of = ClaudeConversations,
               .beginning_of = ClaudeBeginning,
               .may_repeat = ClaudeMayRepeat,
               .origin_of = ClaudeOrigin,
               .age_of = ClaudeAge,
               .companion_folder = ClaudeCompanionFolder,
               .may_shrink = true},
    .usage = ReadClaudeUsage,
    .export_to_stream = ExportSessionOf<SessionTool::kClaude>,
    .export_to_folder = ExportClaudeFiles,
};

}  // namespace turnlog
