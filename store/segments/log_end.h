// Where a log ends: behind the last append that is there as a whole. Tells a torn end (an append that was cut short by
// a crash and never acknowledged as durable) from damage (bytes that had been durable and cannot be trusted now).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/segments/frame_scanner.h"
#include "store/segments/segment_set.h"
#include "turnlog/damage.h"

namespace turnlog {

struct LogEnd {
  std::uint64_t end = 0;
  std::uint64_t durable = 0;  // the log itself tells that everything before this was on disk
  // Nothing before this needs a later frame to confirm it: `durable`, or behind a claim that confirms all before it.
  std::uint64_t confirmed = 0;
  std::uint64_t torn_bytes = 0;    // something unfinished stands behind `end`; about how much
  std::vector<Damage> damage;      // before `end`
  std::optional<Damage> lost_end;  // behind `end`, in the place of events that had been durable
  std::uint64_t hashed_bytes = 0;  // what finding it has cost
};

// What zeros where the next record would begin say about what stands behind them.
enum class ZeroPolicy {
  kScanOn,   // nothing: look through the rest of the segments, so that damage is found
  kNothing,  // that it is the end: for those who follow a writer and came here by valid records
};

// Scans from `from`, which stands behind a complete append, and takes in which erasures are under way. Whatever stands
// in the place of their frames is no damage.
Result<LogEnd> FindLogEnd(SegmentSet& segments, std::uint64_t from, ZeroPolicy behind = ZeroPolicy::kScanOn);

// The next frame where one must be, for it stands before the end. A reader may come upon it while it is overwritten.
Result<std::optional<Frame>> NextOrRefresh(FrameScanner& scanner, SegmentSet& segments);
// Readers: takes in which erasures have been announced since. Before an invalid frame is taken for damage, call it and
// read once more: then the frame is one of those, or it is what it will be.
Status CatchUpErasures(SegmentSet& segments);

// Writes the bytes from `from` to `end` once more. A sync that failed leaves pages in memory that read well, look
// synced, and are never written.
Status RewriteUnsynced(SegmentSet& segments, std::uint64_t from, std::uint64_t end);

// Removes what is unfinished behind `end`, so that nothing of it can come back to life behind later frames, and makes
// the last segment as long as it was made.
Status TruncateTornTail(SegmentSet& segments, std::uint64_t end);

}  // namespace turnlog
