#include "migrate/sessions/session_writer.h"

#include <fmt/format.h>

#include <utility>

#include "migrate/sessions/session_ids.h"

namespace turnlog {

std::string SessionWriter::NewUuid(std::string_view contents) {
  last_uuid_ = DerivedUuid(fmt::format("{}\n{}\n{}", frame_.id, last_uuid_, contents));
  return last_uuid_;
}

std::unique_ptr<StepWriter> SessionWriterFor(SessionTool tool, SessionFrame frame) {
  switch (tool) {
    case SessionTool::kClaude:
      return ClaudeSessionWriter(std::move(frame));
    case SessionTool::kCodexCli:
      return CodexSessionWriter(std::move(frame));
    case SessionTool::kOpencodeCli:
      return OpencodeSessionWriter(std::move(frame));
    case SessionTool::kGeminiCli:
      break;
  }
  return GeminiSessionWriter(std::move(frame));
}

}  // namespace turnlog
