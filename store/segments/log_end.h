// Finds the end of a log: the end of the last complete append. Distinguishes a torn tail (an append that a crash
// interrupted and that was never acknowledged as durable) from damage (bytes that had been durable and are corrupt
// now).
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
  std::uint64_t durable = 0;  // the highest durable claim in the log
  // Nothing before this needs a later frame to confirm it: `durable`, or the end of a claim that confirms all before
  // it.
  std::uint64_t confirmed = 0;
  std::uint64_t torn_bytes = 0;    // about the size of the torn tail after `end`
  std::vector<Damage> damage;      // before `end`
  std::optional<Damage> lost_end;  // after `end`: durable events were lost
  std::uint64_t hashed_bytes = 0;  // bytes hashed to find the end
};

// What to conclude from zeros where the next record would begin.
enum class ZeroPolicy {
  kScanOn,   // nothing: scan the rest of the segments, so that damage is found
  kNothing,  // the log ends here: for readers that follow a writer through valid records
};

// Scans from `from`, the end of a complete append, and collects the erasures that are not complete. The frames that
// they overwrite do not count as damage, whatever they contain.
Result<LogEnd> FindLogEnd(SegmentSet& segments, std::uint64_t from, ZeroPolicy zeros = ZeroPolicy::kScanOn);

// The next frame, where one must exist because it is before the end. A reader may see it half overwritten by an
// erasure.
Result<std::optional<Frame>> NextOrRefresh(FrameScanner& scanner, SegmentSet& segments);
// Readers: collects the erasures announced since. Call it before reporting an invalid frame as damage, and read the
// frame again: then it belongs to a known erasure, or the overwrite is complete.
Status CatchUpErasures(SegmentSet& segments);

// Writes the bytes from `from` to `end` once more. After a failed sync the page cache may hold pages that read
// correctly and count as synced, but were never written to disk.
Status RewriteUnsynced(SegmentSet& segments, std::uint64_t from, std::uint64_t end);

// Removes everything after `end`, so that no remains become valid after later frames, and extends the last segment to
// its full size.
Status TruncateTornTail(SegmentSet& segments, std::uint64_t end);

}  // namespace turnlog
