#include "migrate/sessions/loaded_session.h"

#include <utility>

namespace turnlog {

std::unexpected<Error> CannotLoad(std::string message) {
  return std::unexpected(Error{ErrorCode::kCorruption, std::move(message)});
}

Result<LoadedSession> LoadSession(SessionTool tool, std::string_view file) {
  switch (tool) {
    case SessionTool::kClaude:
      return LoadClaudeSession(file);
    case SessionTool::kCodexCli:
      return LoadCodexSession(file);
    case SessionTool::kOpencodeCli:
      return LoadOpencodeSession(file);
    case SessionTool::kGeminiCli:
      break;
  }
  return LoadGeminiSession(file);
}

}  // namespace turnlog
