#include <string>

#include "base/try.h"
#include "migrate/stored_events.h"
#include "turnlog/event_json.h"
#include "turnlog/export.h"

namespace turnlog {

Status ExportJsonl(Log& log, std::span<const ConversationId> conversations, const ExportSink& sink) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::string piece;
  for (const ConversationId& conversation : conversations) {
    StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation));
    while (const auto event = TURNLOG_TRY(stored.Next())) {
      AppendJson(event->event, conversation.text(), event->seq, piece);
      piece.push_back('\n');
      if (piece.size() < kPiece) continue;
      TURNLOG_TRY(sink(piece));
      piece.clear();
    }
  }
  if (!piece.empty()) TURNLOG_TRY(sink(piece));
  return {};
}

}  // namespace turnlog
