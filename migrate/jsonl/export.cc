#include "migrate/jsonl/export.h"

#include <string>

#include "base/try.h"
#include "migrate/logged/stored_events.h"
#include "turnlog/event_json.h"

namespace turnlog {

Status ExportJsonl(Log& log, const ConversationId& conversation, const ExportSink& sink, const ExportOptions& options,
                   ExportReport& report) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::string piece;
  std::uint64_t count = 0;
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation, options));
  while (const auto event = TURNLOG_TRY(stored.NextIntact(report.damage))) {
    ++count;
    AppendJson(event->event, conversation.text(), options.raw ? event->seq : Seq{count}, piece);
    piece.push_back('\n');
    if (piece.size() < kPiece) continue;
    TURNLOG_TRY(sink(piece));
    piece.clear();
  }
  return piece.empty() ? Status() : sink(piece);
}

}  // namespace turnlog
