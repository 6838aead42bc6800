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

// The id by which the tool knows the session of this conversation: the same whenever it is exported.
std::string SessionIdOf(SessionTool tool, std::string_view conversation);

}  // namespace turnlog
