#include "migrate/sessions/loaded_session.h"

#include <utility>

#include "base/try.h"
#include "base/utf8.h"
#include "turnlog/json.h"

namespace turnlog {

std::unexpected<Error> CannotLoad(std::string message) {
  return std::unexpected(Error{ErrorCode::kCorruption, std::move(message)});
}

namespace {

Result<LoadedSession> LoadByRulesOf(SessionTool tool, std::string_view file) {
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

}  // namespace

Result<LoadedSession> LoadSession(SessionTool tool, std::string_view file) {
  if (!IsUtf8(file)) return CannotLoad("it is not UTF-8");
  LoadedSession loaded = TURNLOG_TRY(LoadByRulesOf(tool, file));
  if (!ParseJson(loaded.messages)) return CannotLoad("a record that the tool would send is broken");
  return loaded;
}

}  // namespace turnlog
