// The names of a Claude Code session and its files:
//   <session>.jsonl                                the session
//   <session>/subagents/agent-<agent>.jsonl        its subagents; older versions: agent-<agent>.jsonl beside the
//   session <session>/subagents/agent-<agent>.meta.json    what they are <session>/tool-results/<name> long outputs of
//   its tools
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/format.h"
#include "migrate/records/record_source.h"
#include "migrate/sources/source.h"

namespace turnlog {

// The parts of import records: the session that a subagent or an output belongs to, and the path of its file from the
// folder of the session's file on, which is the name of the source if there is no such part. It is empty if the records
// are in the session's file.
inline constexpr std::string_view kFilePart = "file", kMetaPart = "meta";
inline constexpr std::string_view kMetaExtension = ".meta.json";

// Whether one of the first lines is a record of Claude Code.
bool HoldsClaudeRecords(std::string_view head);

// The folder with what belongs to a session.
std::string ClaudeCompanionFolder(std::string_view file_name);

// Whether a file in that folder is imported.
bool UsesClaudeFile(std::string_view name);

// Its conversations, if the names of the files are sufficient.
std::vector<ConversationId> ClaudeConversations(const Source& source);

// The id of the first message in the session's file; nothing if it is marked as a copy, or the file is a subagent's.
std::optional<std::string> ClaudeBeginning(Source& source);

// The session that a fork was copied from, if the first message of the session's file has it.
std::optional<std::string> ClaudeOrigin(Source& source);

// The session of a subagent's file that is a source of its own: it may begin with records of the session.
std::optional<RepeatedHistory> ClaudeMayRepeat(Source& source);

// The files that are conversations: the session first, because its subagents' files repeat records of it.
std::vector<RecordFile> ClaudeFiles(Source& source);

}  // namespace turnlog
