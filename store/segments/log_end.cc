#include "store/segments/log_end.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kWrittenAtOnce = 1 << 20;

struct GapScan {
  std::uint64_t claim = 0;  // the highest durable claim found
  std::uint64_t last_byte = 0;
  std::uint64_t hashed_bytes = 0;
};

void ApplyRecord(Erasures& erasures, const Frame& frame) {
  if (frame.header.type == FrameType::kEraseComplete) erasures.Done(frame.end());
  if (frame.header.type != FrameType::kEraseIntent) return;
  if (auto frames = DecodeErasure(frame.payload, frame.position)) erasures.AddIntent(frame.end(), *std::move(frames));
}

// A valid frame after the hole proves nothing: pages of one unfinished append may reach the disk in any order. Only a
// frame whose durable claim covers the hole proves that the hole was durable. Stops at the first such frame.
Result<GapScan> ScanPastGap(SegmentSet& segments, std::uint64_t hole) {
  GapScan found;
  FrameScanner scanner(segments, hole);
  while (found.claim <= hole && TURNLOG_TRY(scanner.Resync())) {
    while (found.claim <= hole) {
      const Frame* frame = TURNLOG_TRY(scanner.Next());
      if (frame == nullptr) break;
      found.last_byte = frame->end();
      ApplyRecord(segments.erasures(), *frame);
      found.claim = std::max(found.claim, frame->header.DurableClaim(frame->position).value_or(0));
    }
  }
  found.hashed_bytes = scanner.hashed_bytes();
  return found;
}

// The end of the segment's file if it is truncated, which only a clean shutdown does: at the end of the last append.
Result<std::optional<std::uint64_t>> CutAt(SegmentSet& segments, SegmentExtent extent) {
  const auto segment = TURNLOG_TRY(segments.Find(extent.base));
  if (segment == nullptr) return std::nullopt;
  const std::uint64_t size = TURNLOG_TRY(segment->file->Size());
  return size < extent.size ? std::optional(extent.base + size) : std::nullopt;
}

// The last segment that is there: a writer that closes removes those that it has not used.
Result<SegmentExtent> LastExtent(SegmentSet& segments) {
  for (;;) {
    const std::vector<SegmentExtent> all = segments.all();
    if (all.empty()) return SegmentExtent{};
    if (TURNLOG_TRY(segments.Find(all.back().base)) != nullptr) return all.back();
  }
}

// Detects lost durable data at a hole without any later durable claim: a clean shutdown truncated the file at a later
// offset, or the log continues in a segment that is missing (a segment is created before the seal that leads to it).
Result<std::optional<Damage>> LostAt(SegmentSet& segments, FrameScanner& scanner, bool within_append) {
  const std::uint64_t hole = scanner.position();
  auto segment = TURNLOG_TRY(segments.Find(hole));
  if (segment == nullptr && !within_append) return std::nullopt;
  if (segment == nullptr) {
    TURNLOG_TRY(segments.Refresh());  // a writer may just be writing this append
    segment = TURNLOG_TRY(segments.Find(hole));
    return segment == nullptr ? std::optional(segments.DamageAt(hole, hole, {})) : std::nullopt;
  }
  const SegmentExtent last = TURNLOG_TRY(LastExtent(segments));
  for (const SegmentExtent extent : {segment->extent, last}) {
    const auto cut = TURNLOG_TRY(CutAt(segments, extent));
    if (cut && (within_append || !TURNLOG_TRY(scanner.BlankFromHere(*cut)))) {
      return segments.DamageAt(hole, std::max(hole, *cut), "truncated or damaged after a clean shutdown");
    }
  }
  const std::uint64_t next = segment->extent.end();
  if (!TURNLOG_TRY(scanner.SealHere())) return std::nullopt;
  TURNLOG_TRY(segments.Refresh());  // a writer may have created it meanwhile
  if (!segments.NextFrom(next)) return segments.DamageAt(next, next, {});
  return std::nullopt;
}

Result<LogEnd> Scan(SegmentSet& segments, std::uint64_t from, ZeroPolicy zeros) {
  LogEnd result{.end = from, .durable = from, .confirmed = from};
  FrameScanner scanner(segments, from);
  std::uint64_t claim = 0;  // the highest one found after a hole: holes before it need no further scan
  for (;;) {
    while (const Frame* frame = TURNLOG_TRY(scanner.Next())) {
      result.torn_bytes += FrameBytes(frame->header.length);
      const std::uint64_t durable = frame->header.DurableClaim(frame->position).value_or(0);
      const bool holds_nothing = frame->header.type == FrameType::kClaim && durable == frame->position;
      result.durable = std::max(result.durable, durable);
      result.confirmed = std::max(result.confirmed, holds_nothing ? frame->end() : durable);
      ApplyRecord(segments.erasures(), *frame);
      if (frame->header.batch_continues) continue;
      result.end = scanner.position();
      result.torn_bytes = 0;
    }
    if (zeros == ZeroPolicy::kNothing && TURNLOG_TRY(scanner.ZerosHere())) return result;
    const std::uint64_t hole = scanner.position();
    const bool blank = TURNLOG_TRY(scanner.BlankFromHere());
    GapScan past_gap{.claim = claim};
    if (!blank && claim <= hole) past_gap = TURNLOG_TRY(ScanPastGap(segments, hole));
    claim = std::max(claim, past_gap.claim);
    result.hashed_bytes += past_gap.hashed_bytes;
    if (claim <= hole) {
      result.lost_end = TURNLOG_TRY(LostAt(segments, scanner, result.torn_bytes > 0));
      // Unreadable bytes are not a torn tail: they may be acknowledged events.
      if (!result.lost_end) result.lost_end = segments.UnreadableFrom(hole);
      result.hashed_bytes += scanner.hashed_bytes();
      if (!blank) result.torn_bytes += std::max(past_gap.last_byte, hole + kFrameHeaderBytes) - hole;
      return result;
    }
    auto gap = TURNLOG_TRY(scanner.StepOver(segments.all().back().end()));
    if (!gap->header) gap->damage.reason = "corrupt record in synced data";
    result.damage.push_back(std::move(gap->damage));
  }
}

}  // namespace

Result<LogEnd> FindLogEnd(SegmentSet& segments, std::uint64_t from, ZeroPolicy zeros) {
  Erasures& erasures = segments.erasures();
  const auto reading = erasures.HoldReading();
  // What was announced before is complete: a checkpoint, where a reader goes on, is never between an erase intent and
  // its completion.
  if (from > erasures.read_to()) erasures.Done(from);
  for (;;) {
    const std::uint64_t last_record = erasures.last_record_end();
    LogEnd result = TURNLOG_TRY(Scan(segments, from, zeros));
    const bool sound = result.damage.empty() && result.torn_bytes == 0 && !result.lost_end;
    // An erasure announced during the scan may explain what looked damaged.
    if (!sound && erasures.last_record_end() != last_record) continue;
    erasures.ReadTo(result.end);
    return result;
  }
}

Result<bool> IsEndOfAppend(SegmentSet& segments, const LogOffset& mark) {
  FrameScanner scanner(segments, mark.tail.offset);
  const Frame* frame = TURNLOG_TRY(scanner.Next());
  return frame != nullptr && frame->position == mark.tail.offset && frame->end() == mark.end &&
         !frame->header.batch_continues && segments.codec().Check(*frame) == mark.tail.fingerprint;
}

Status CatchUpErasures(SegmentSet& segments) {
  if (segments.writable()) return {};  // a writer knows its own erasures
  TURNLOG_TRY(segments.Renew(segments.erasures().read_to()));
  TURNLOG_TRY(FindLogEnd(segments, segments.erasures().read_to(), ZeroPolicy::kNothing));
  return {};
}

Result<const Frame*> NextOrRefresh(FrameScanner& scanner, SegmentSet& segments) {
  return ReadBesideErasures(segments, [&] { return scanner.Next(); });
}

Status RewriteUnsynced(SegmentSet& segments, std::uint64_t from, std::uint64_t end) {
  std::string bytes;
  for (const SegmentExtent& extent : segments.all()) {
    const std::uint64_t stop = std::min(end, extent.end());
    for (std::uint64_t at = std::max(from, extent.first()); at < stop; at += bytes.size()) {
      const auto segment = TURNLOG_TRY(segments.Find(extent.base));
      bytes.resize(std::min(kWrittenAtOnce, stop - at));
      const std::size_t got = TURNLOG_TRY(segment->file->ReadAt(at - extent.base, bytes));
      TURNLOG_TRY(segment->file->WriteAt(at - extent.base, std::string_view(bytes).substr(0, got)));
    }
  }
  return {};
}

// Truncates the torn segment before it removes the later ones, so that a seal never outlives the segment after it.
Status TruncateTornTail(SegmentSet& segments, std::uint64_t end) {
  const auto segment = TURNLOG_TRY(segments.Find(end > 0 ? end - 1 : 0));
  if (segment == nullptr) return segments.RemoveFrom(0);
  const std::uint64_t keep = std::max(end - segment->extent.base, kSegmentHeaderBytes);
  TURNLOG_TRY(segment->file->Truncate(keep));
  TURNLOG_TRY(segment->file->Allocate(segment->extent.size));
  TURNLOG_TRY(segment->file->Sync());
  return segments.RemoveFrom(segment->extent.end());
}

}  // namespace turnlog
