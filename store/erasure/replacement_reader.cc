#include "store/erasure/replacement_reader.h"

#include "base/try.h"
#include "store/erasure/tombstone_fields.h"
#include "store/segments/log_end.h"

namespace turnlog {
namespace {

bool IsOf(const Frame& frame, const FrameHeader& event) {
  return frame.header.conversation == event.conversation && frame.header.seq == event.seq;
}

}  // namespace

Result<std::optional<Frame>> ReplacementReader::Follow(const Frame& erased) {
  Frame original = erased;
  FrameRef overwritten;
  for (;;) {  // each time the event has been redacted again meanwhile
    const auto event = DecodeTombstone(original);
    if (!event || (!overwritten.missing() && event->replacement == overwritten)) return std::nullopt;
    const FrameRef& replacement = event->replacement;
    if (replacement.missing()) return original;
    const auto frame = TURNLOG_TRY(FrameAt(replacement_, replacement.position, replacement.end()));
    if (!frame || !IsOf(*frame, erased.header)) return std::nullopt;
    if (frame->header.type == FrameType::kReplacement) return frame;
    if (frame->header.type != FrameType::kReplacementTombstone) return std::nullopt;
    TURNLOG_TRY(CatchUpErasures(*segments_));  // the event has a newer replacement; an old erase intent may hide it
    const auto again = TURNLOG_TRY(FrameAt(original_, original.position, original.end()));
    if (!again || again->header.type != FrameType::kTombstone || !IsOf(*again, erased.header)) return std::nullopt;
    original = *again;
    overwritten = replacement;
  }
  return std::nullopt;
}

Result<std::optional<Frame>> ReplacementReader::FrameAt(std::optional<FrameScanner>& scanner, std::uint64_t position,
                                                        std::uint64_t end) {
  return ReadBesideErasures(*segments_, [&]() -> Result<std::optional<Frame>> {
    scanner.emplace(*segments_, position);
    scanner->LimitReadAhead(end);
    const Frame* frame = TURNLOG_TRY(scanner->Next());
    const bool here = frame != nullptr && frame->position == position && frame->end() == end;
    return here ? std::optional(*frame) : std::nullopt;
  });
}

}  // namespace turnlog
