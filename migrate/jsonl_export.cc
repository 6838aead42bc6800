#include <string>

#include "base/try.h"
#include "migrate/stored_events.h"
#include "turnlog/event_json.h"
#include "turnlog/export.h"

namespace turnlog {

Status ExportJsonl(Log& log, std::span<const ConversationId> conversations, const ExportSink& sink,
                   const ExportOptions& options) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::string piece;
  for (const ConversationId& conversation : conversations) {
    StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation, options));
    std::uint64_t count = 0;
    while (const auto event = TURNLOG_TRY(stored.Next())) {
      ++count;
      AppendJson(event->event, conversation.text(), options.raw ? event->seq : Seq{count}, piece);
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
