#include "turnlog/migrate/session_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "migrate/sessions/session_ids.h"

namespace turnlog {
namespace {

constexpr std::array kTools{SessionTool::kClaude, SessionTool::kCodexCli, SessionTool::kOpencodeCli,
                            SessionTool::kGeminiCli};

}  // namespace

std::string_view ToString(SessionTool tool) {
  switch (tool) {
    case SessionTool::kClaude:
      return "claude-code";
    case SessionTool::kCodexCli:
      return "codex";
    case SessionTool::kOpencodeCli:
      return "opencode";
    case SessionTool::kGeminiCli:
      return "gemini";
  }
  return {};
}

std::span<const SessionTool> AllSessionTools() { return kTools; }

std::optional<SessionTool> FindSessionTool(std::string_view name) {
  const auto found = std::ranges::find_if(kTools, [&](SessionTool tool) { return ToString(tool) == name; });
  return found == kTools.end() ? std::nullopt : std::optional(*found);
}

std::string SessionIdOf(SessionTool tool, std::string_view conversation) {
  if (tool == SessionTool::kOpencodeCli) {
    // `opencode import` adds messages to those of a session that is there.
    const Hash128 hash = HashId(conversation, 0);
    return fmt::format("ses_{:016x}{:010x}", hash.high, hash.low >> 24);
  }
  return DerivedUuid(fmt::format("{} {}", ToString(tool), conversation));
}

}  // namespace turnlog
