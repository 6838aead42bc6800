// What a tool makes of a session when it resumes it: its loading rules as its documentation and sources state them,
// written without turnlog's readers, so that each can be checked by the other. docs/formats/sessions.md has the rules.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "turnlog/migrate/session_tool.h"
#include "turnlog/providers/lint.h"
#include "turnlog/result.h"

namespace turnlog {

struct LoadedSession {
  std::string id;
  Provider provider{};   // whose format `messages` has
  std::string messages;  // what the tool sends, as a list, and after it a next prompt
  // Messages of the main conversation that are in the file but not reached by the rules.
  std::uint64_t unreachable = 0;
};

// `file`: the text of the session's file. kCorruption: the tool would not load it; the message says why.
Result<LoadedSession> LoadSession(SessionTool tool, std::string_view file);
Result<LoadedSession> LoadClaudeSession(std::string_view file);
Result<LoadedSession> LoadCodexSession(std::string_view file);
Result<LoadedSession> LoadOpencodeSession(std::string_view file);
Result<LoadedSession> LoadGeminiSession(std::string_view file);

// What the rules share.
inline constexpr std::string_view kNextPrompt = "next";
std::unexpected<Error> CannotLoad(std::string message);
// Calls `visit` with each line that is not empty.
template <class Visit>
void ForEachLine(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.empty()) visit(line);
  }
}

}  // namespace turnlog
