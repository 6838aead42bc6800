// Tools whose sessions turnlog can write.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace turnlog {

enum class SessionTool : std::uint8_t { kClaude, kCodexCli, kOpencodeCli, kGeminiCli };

// claude-code, codex, opencode, gemini: also the names of the formats that are imported
std::string_view ToString(SessionTool tool);
std::span<const SessionTool> AllSessionTools();
std::optional<SessionTool> FindSessionTool(std::string_view name);

// The id of a session that is written from the events of this conversation: the same whenever it is exported, another
// one for each tool, and never that of the conversation, so that what the tool adds to it is imported beside it.
std::string SessionIdOf(SessionTool tool, std::string_view conversation);

}  // namespace turnlog
