// The names of Codex sessions: rollout-<time>-<thread>.jsonl, also compressed as .jsonl.zst.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/format.h"
#include "migrate/records/record_source.h"
#include "migrate/sources/source.h"

namespace turnlog {

// Whether one of the first lines is a record of Codex.
bool HoldsCodexRecords(std::string_view head);

// Whether a document is a file of Codex's TypeScript version.
bool IsCodexDocument(std::string_view head);

// The conversation, if the name of the file is sufficient.
std::vector<ConversationId> CodexConversations(const Source& source);

// The thread whose records the first ones say are copied.
std::optional<std::string> CodexOrigin(Source& source);

// The thread that a session_meta says its thread was begun by, or forked from.
std::optional<std::string> NamedParent(const JsonObject& meta);

// A copy is younger than what it is a copy of.
SourceAge CodexAge(Source& source);

std::vector<RecordFile> CodexFiles(Source& source);

}  // namespace turnlog
