#include "store/erasure/replacement_reader.h"

#include "base/try.h"
#include "store/erasure/tombstone_fields.h"
#include "store/segments/log_end.h"

namespace turnlog {
namespace {

// How often an event may be redacted again while Follow runs.
constexpr int kTries = 16;

bool IsOf(const Frame& frame, const FrameHeader& event) {
  return frame.header.conversation == event.conversation && frame.header.seq == event.seq;
}

}  // namespace

Result<std::optional<Frame>> ReplacementReader::Follow(const Frame& erased) {
  Frame original = erased;
  for (int tries = 0; tries < kTries; ++tries) {
    const auto event = DecodeTombstone(original);
    if (!event) return std::nullopt;
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
  }
  return std::nullopt;
}

// A reader may not know the segment or the erase intent yet: catch up and retry once.
Result<std::optional<Frame>> ReplacementReader::FrameAt(std::optional<FrameScanner>& scanner, std::uint64_t position,
                                                        std::uint64_t end) {
  for (const bool again : {false, true}) {
    if (again) TURNLOG_TRY(CatchUpErasures(*segments_));
    scanner.emplace(*segments_, position);
    scanner->LimitReadAhead(end);
    auto frame = TURNLOG_TRY(scanner->Next());
    if (frame && frame->position == position && frame->end() == end) return frame;
  }
  return std::nullopt;
}

}  // namespace turnlog
