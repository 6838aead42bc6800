// Replaces the index on disk while the log is in use.
#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/try.h"
#include "store/index/index.h"

namespace turnlog {

// Nothing that was read from the old files is used any more: they may have said something that does not follow from the
// log. So everything in memory is dropped, and what it was appended for is in `rebuilt`.
Status Index::ReplaceBase(Index& rebuilt, const std::filesystem::path& aside, const std::function<Status()>& finish) {
  std::vector<ProjectionTable> dropped;  // destroyed without a lock
  std::vector<std::unique_lock<std::mutex>> locks;
  locks.reserve(shards_.size());
  for (Shard& shard : shards_) locks.emplace_back(shard.mutex);
  TURNLOG_TRY(finish());
  TURNLOG_TRY(base_->ReplaceBy(*rebuilt.base_, aside));
  offset_blocks_.Clear();
  entries_.Clear();  // before memory is dropped: who finds nothing there must not find an outdated entry
  dropped = TakeStateOf(rebuilt);
  return {};
}

// Returns what was in memory. REQUIRES: all shards are locked.
std::vector<ProjectionTable> Index::TakeStateOf(const Index& rebuilt) {
  replay_projection_ = nullptr;
  {
    const std::scoped_lock lock(names_mutex_);  // before the projections, into which the names point
    new_names_ = {};
    frozen_names_ = {};
  }
  std::vector<ProjectionTable> dropped;
  for (Shard& shard : shards_) dropped.push_back(std::exchange(shard.live, {}));
  next_conversation_ = std::max(next_conversation_.load(), rebuilt.next_conversation_.load());
  const IndexTotals totals = rebuilt.totals();
  conversations_ = totals.conversations;
  events_ = totals.events;
  payload_bytes_ = totals.payload_bytes;
  repairs_ = totals.repairs;
  growing_bytes_ = 0;
  const std::scoped_lock lock(meta_mutex_);
  meta_ = next_meta_ = rebuilt.meta();
  return dropped;
}

}  // namespace turnlog
