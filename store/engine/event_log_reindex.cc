// Rebuilds the index while the log is in use: reads the log into a new index beside the old one, reads what was
// appended meanwhile, and finally, for a moment in which nothing can be appended, the rest; then it exchanges the two.
#include <fmt/format.h>

#include <mutex>

#include "base/try.h"
#include "store/engine/event_log.h"
#include "store/index/kept_watermarks.h"
#include "store/index/replay.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kLittle = 256 << 10;          // of the log: is indexed in a moment
constexpr int kMostRounds = 8;                        // against a writer that is faster than this
constexpr std::uint64_t kCheckpointBytes = 64 << 20;  // bounds the memory

Status RequireIntact(const std::vector<Damage>& damage) {
  if (damage.empty()) return {};
  return std::unexpected(Error{
      ErrorCode::kCorruption,
      fmt::format("the log is damaged and its index is not replaced: {}{}; `logctl verify` lists all damage, intact "
                  "events can still be read",
                  ToString(damage.front()),
                  damage.size() > 1 ? fmt::format(" (and {} more)", damage.size() - 1) : "")});
}

}  // namespace

struct EventLog::Rebuilding {
  Progress progress;
  std::function<bool()> stop;
  std::shared_ptr<Index> index;  // the new one
  LogOffset mark;                // it covers the log up to here, in memory or on disk
};

Result<bool> EventLog::Reindex(const ReindexOptions& options) {
  TURNLOG_TRY(MustBeWritable());
  const std::scoped_lock lock(reindex_mutex_);
  TURNLOG_TRY(MustBeOpen());
  TURNLOG_TRY(IndexBase::Remove(paths_.new_index(), environment_));
  TURNLOG_TRY(IndexBase::Remove(paths_.old_index(), environment_));
  Rebuilding rebuilding{.progress = options.progress,
                        .stop = [&] { return closed_ || (options.stop && options.stop()); },
                        .index = {},
                        .mark = {}};
  auto rebuilt = RebuildBeside(rebuilding);
  rebuilding.index.reset();
  // The next rebuild, or the next writer, removes any remains.
  (void)IndexBase::Remove(paths_.new_index(), environment_);
  if (rebuilt) (void)IndexBase::Remove(paths_.old_index(), environment_);
  if (rebuilt && !*rebuilt) TURNLOG_TRY(MustBeOpen());
  return rebuilt;
}

Result<bool> EventLog::RebuildBeside(Rebuilding& rebuilding) {
  rebuilding.index = TURNLOG_TRY(OpenIndex(IndexBase::Access::kCreateToReplace, paths_.new_index()));
  for (int round = 0; round < kMostRounds; ++round) {
    const std::uint64_t end = committer_->written();
    if (end - rebuilding.mark.end < kLittle) break;
    if (!TURNLOG_TRY(IndexMore(rebuilding, end))) return false;
  }
  const std::scoped_lock lock(checkpoint_mutex_);  // no checkpoints, and nothing is being erased
  TURNLOG_TRY(committer_->Check());
  const auto index = TURNLOG_TRY(this->index());
  if (!TURNLOG_TRY(IndexRest(rebuilding))) return false;
  if (!TURNLOG_TRY(KeepWatermarks(index->base(), rebuilding.index->base(), rebuilding.stop))) return false;
  TURNLOG_TRY(TakeRebuilt(rebuilding));
  return true;
}

// Reads the log up to `end` into the new index. False: stopped.
Result<bool> EventLog::IndexMore(Rebuilding& rebuilding, std::uint64_t end) {
  const std::uint64_t done = rebuilding.mark.end;
  Progress progress;
  if (rebuilding.progress) progress = [&](std::uint64_t here, std::uint64_t) { rebuilding.progress(done + here, end); };
  const ReplayReport report = TURNLOG_TRY(Replay(*segments_, *rebuilding.index, rebuilding.mark, end,
                                                 {.salt = identity_.salt(),
                                                  .checkpoint_bytes = kCheckpointBytes,
                                                  .verify_contents = false,
                                                  .progress = progress,
                                                  .stop = rebuilding.stop}));
  if (report.stopped) return false;
  TURNLOG_TRY(RequireIntact(report.damage));
  rebuilding.mark = report.mark;
  return true;
}

// The same up to the present end, which it syncs, with a checkpoint there.
Result<bool> EventLog::IndexRest(Rebuilding& rebuilding) {
  const LogOffset end = committer_->enqueued();
  TURNLOG_TRY(committer_->Wait(end.end, Durability::kSync));
  if (!TURNLOG_TRY(IndexMore(rebuilding, end.end))) return false;
  rebuilding.index->BeginCheckpoint([&] { return rebuilding.mark; });
  TURNLOG_TRY(rebuilding.index->WriteCheckpoint());
  return true;
}

Status EventLog::TakeRebuilt(Rebuilding& rebuilding) {
  const auto index = TURNLOG_TRY(this->index());
  rebuilding.progress = {};  // the caller's code must not run while appends wait
  rebuilding.stop = {};
  const Status taken = index->ReplaceBase(*rebuilding.index, paths_.old_index(), [&]() -> Status {
    (void)TURNLOG_TRY(IndexRest(rebuilding));
    return {};
  });
  if (!taken) {
    // The old index could not be moved back: its files must not be taken for remains.
    if (Exists(*environment_.files, paths_.old_index()).value_or(true)) committer_->Poison(taken.error());
    return taken;
  }
  room_end_.store(RoomAfter(rebuilding.mark.end), std::memory_order_relaxed);
  const std::scoped_lock wake(maintenance_mutex_);
  checkpoint_ended_.notify_all();
  return {};
}

}  // namespace turnlog
