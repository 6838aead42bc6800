// Brings an index up to date from the segments: after a crash, for readers, and to rebuild it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "store/erasure/tombstone.h"
#include "store/index/index.h"
#include "store/segments/log_end.h"
#include "store/segments/segment_set.h"
#include "turnlog/damage.h"
#include "turnlog/maintenance.h"

namespace turnlog {

struct ReplayOptions {
  std::uint64_t salt = 0;
  // Write a checkpoint whenever so much has been replayed, or so many entries are in memory (twice as many while one is
  // written); 0: never.
  std::uint64_t checkpoint_bytes = 0;
  std::size_t checkpoint_memory = kManyIndexBytes / 2;
  bool verify_contents = false;  // also of events that the index does not need, and what redacted ones say now
  Progress progress;
  std::function<bool()> stop = {};  // asked often; empty: never
};

struct ReplayReport {
  LogOffset mark;        // the end of what was replayed
  bool stopped = false;  // before the end that was asked for: nothing else here is of use
  std::uint64_t records = 0, events = 0;
  std::uint64_t erased = 0, redacted = 0;  // of the events
  std::vector<Damage> damage;
  // Replacements that no erase intent names: a redaction was interrupted before its intent. Complete if the replay
  // began at a checkpoint of the writer, because none is made between a replacement and its intent.
  std::vector<Tombstone> orphans;
};

// Adds the frames from `from` to `to`, both ends of complete appends. Damage is skipped and reported; the lost events
// are recorded in the index as missing.
Result<ReplayReport> Replay(SegmentSet& segments, Index& index, LogOffset from, std::uint64_t to,
                            const ReplayOptions& options);

}  // namespace turnlog
