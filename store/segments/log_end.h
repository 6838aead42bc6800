// Finds the end of a log: the end of the last complete append. Distinguishes a torn tail (an append that a crash
// interrupted and that was never acknowledged as durable) from damage (bytes that had been durable and are corrupt
// now).
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/try.h"
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

// Whether the mark is the end of a complete append of this log: its last frame is where it says. What is before it
// needs no FindLogEnd: it was durable, and its erasures are complete.
Result<bool> IsEndOfAppend(SegmentSet& segments, const LogOffset& mark);

// Readers: collects the erasures announced since. A writer knows its own.
Status CatchUpErasures(SegmentSet& segments);

// Calls `read` until it returns a frame, or nothing explains why it does not. An erasure that leaves a frame half
// overwritten was announced before, so a read that fails is repeated if erasures were announced or completed since it
// began; without any it has met damage. The first one is always repeated: a reader may not know the segment yet.
template <class Read>
std::invoke_result_t<Read> ReadBesideErasures(SegmentSet& segments, Read read) {
  for (bool first = true;; first = false) {
    const std::uint64_t known = segments.erasures().last_record_end();
    auto frame = read();
    if (!frame || *frame) return frame;
    TURNLOG_TRY(CatchUpErasures(segments));
    if (!first && segments.erasures().last_record_end() == known) return frame;
  }
}

// The next frame, where one must exist because it is before the end.
Result<const Frame*> NextOrRefresh(FrameScanner& scanner, SegmentSet& segments);

// Writes the bytes from `from` to `end` once more. After a failed sync the page cache may hold pages that read
// correctly and count as synced, but were never written to disk.
Status RewriteUnsynced(SegmentSet& segments, std::uint64_t from, std::uint64_t end);

// Removes everything after `end`, so that no remains become valid after later frames, and extends the last segment to
// its full size.
Status TruncateTornTail(SegmentSet& segments, std::uint64_t end);

}  // namespace turnlog
