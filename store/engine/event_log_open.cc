// Opening: checks the store's identity, finds the end of its log, and brings the index up to date.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/try.h"
#include "store/backup/backup_files.h"
#include "store/engine/event_log.h"
#include "store/engine/open_logs.h"
#include "store/index/kept_watermarks.h"
#include "store/index/replay.h"
#include "store/segments/log_end.h"
#include "store/segments/writer_lock.h"

namespace turnlog {
namespace {

// Up to this size, a writer verifies all blocks of the index on open (some milliseconds).
constexpr std::uint64_t kIndexCheckedOnOpen = 32 << 20;

// A person takes longer to answer than this, and a busy writer is never idle for so long.
constexpr std::chrono::milliseconds kIdleClaim{100};

std::unexpected<Error> Refuse(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

// Checks that a store may be created here: no folder, an empty one, the remains of an interrupted creation, or the
// socket that a service manager has opened for the service that creates the store.
Status EnsureFolder(FileSystem& files, const StorePaths& paths) {
  if (TURNLOG_TRY(Exists(files, paths.identity()))) return {};
  TURNLOG_TRY(CheckHasNoLog(files, paths));
  TURNLOG_TRY(files.CreateDirectory(paths.root));
  TURNLOG_TRY(files.SyncDirectory(paths.root.parent_path()));
  constexpr std::array<std::string_view, 7> kOurs{"LOCK",      "STORE.tmp", "index",       "index.new",
                                                  "index.old", "log",       "service.sock"};
  for (const std::string& name : TURNLOG_TRY(files.List(paths.root))) {
    if (std::ranges::find(kOurs, name) != kOurs.end()) continue;
    return Refuse(ErrorCode::kInvalidArgument,
                  fmt::format("{} is not empty and not a turnlog store", paths.root.string()));
  }
  return {};
}

Status RequireFolder(FileSystem& files, const std::filesystem::path& path) {
  const FileKind kind = TURNLOG_TRY(files.KindOf(path));
  if (kind == FileKind::kFolder) return {};
  if (kind == FileKind::kMissing) {
    return Refuse(ErrorCode::kCorruption, fmt::format("there is no folder {}", path.string()));
  }
  return Refuse(ErrorCode::kInvalidArgument, fmt::format("{} is {}, not a folder", path.string(), ToString(kind)));
}

// A lost or damaged index is rebuilt; any other error says nothing about the index and changes nothing.
bool IsUnusable(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kCorruption;
}

// Something of another kind under the index's name is not ours to remove.
std::string_view CureFor(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument
             ? "remove it; `logctl reindex`, or the next writer, then rebuilds the index"
             : "`logctl reindex` rebuilds it";
}

std::unexpected<Error> CannotTell(Error error) {
  error.message = fmt::format("the index cannot be opened, and nothing has been changed: {}; if this persists: {}",
                              error.message, CureFor(error));
  return std::unexpected(std::move(error));
}

// Damage if the log is shorter than `durable`, up to which the index has recorded it as synced.
Result<std::optional<Damage>> MissingBefore(SegmentSet& segments, std::uint64_t durable) {
  std::uint64_t end = 0;
  for (const SegmentExtent& extent : segments.all()) {
    if (extent.base != end || end >= durable) break;
    end = extent.end();
    if (end < durable) continue;
    const auto segment = TURNLOG_TRY(segments.Find(extent.base));
    end = extent.base + (segment == nullptr ? 0 : TURNLOG_TRY(segment->file->Size()));
  }
  if (end >= durable) return std::nullopt;
  return segments.DamageAt(end, durable, "the file is truncated");
}

Status RefuseDamage(const std::vector<Damage>& damage) {
  if (damage.empty()) return {};
  return Refuse(
      ErrorCode::kCorruption,
      fmt::format("the log is damaged and not opened for writing: {}{}; `logctl verify` lists all damage, "
                  "intact events can still be read",
                  ToString(damage.front()), damage.size() > 1 ? fmt::format(" (and {} more)", damage.size() - 1) : ""));
}

Status SyncFrom(SegmentSet& segments, std::uint64_t position) {
  for (const SegmentExtent& extent : segments.all()) {
    if (extent.end() <= position) continue;
    const auto segment = TURNLOG_TRY(segments.Find(extent.base));
    TURNLOG_TRY(segment->file->Sync());
  }
  return {};
}

Result<SegmentExtent> LastSegment(SegmentSet& segments, std::uint64_t end) {
  if (end == 0) return SegmentExtent{};
  const auto segment = TURNLOG_TRY(segments.Find(end - 1));
  return segment == nullptr ? SegmentExtent{} : segment->extent;
}

}  // namespace

Result<std::unique_ptr<Log>> OpenSegmentLog(const std::filesystem::path& folder, const SegmentOptions& options) {
  return EventLog::Open(folder, options, {.idle_claim = kIdleClaim});
}

Result<std::unique_ptr<EventLog>> EventLog::Open(const std::filesystem::path& path, const SegmentOptions& options,
                                                 const Environment& environment, const Rebuild& rebuild) {
  if (options.segment_bytes < 2 * kSegmentHeaderBytes || options.checkpoint_bytes == 0) {
    return Refuse(ErrorCode::kInvalidArgument, "segment_bytes must be at least 8192, and checkpoint_bytes at least 1");
  }
  StorePaths paths = TURNLOG_TRY(StorePaths::At(path));
  std::unique_ptr<EventLog> log(new EventLog(std::move(paths), options, environment));
  TURNLOG_TRY(log->OpenStore(rebuild));
  CloseAtExit(*log);
  return log;
}

Status EventLog::OpenStore(const Rebuild& rebuild) {
  FileSystem& files = *environment_.files;
  const bool may_create = options_.mode == OpenMode::kCreate || options_.mode == OpenMode::kCreateNew;
  if (may_create) {
    TURNLOG_TRY(EnsureFolder(files, paths_));
  } else {
    identity_ = TURNLOG_TRY(ReadIdentity(files, paths_));
  }
  const bool writing = options_.mode != OpenMode::kRead;
  if (writing && TURNLOG_TRY(Exists(files, paths_.root / kBackupFile))) {
    return Refuse(ErrorCode::kReadOnly,
                  fmt::format("{} is a backup: restore it to another folder, and write there", paths_.root.string()));
  }
  if (writing) lock_ = TURNLOG_TRY(AcquireWriterLock(files, paths_.lock(), options_.holder));
  if (may_create) {
    const bool there = TURNLOG_TRY(Exists(files, paths_.identity()));
    if (there && options_.mode == OpenMode::kCreateNew) {
      return Refuse(ErrorCode::kInvalidArgument, fmt::format("a store already exists at {}", paths_.root.string()));
    }
    identity_ = TURNLOG_TRY(
        there ? ReadIdentity(files, paths_)
              : CreateStore(files, paths_, options_.compression.value_or(kDefaultCompression), environment_.store_id));
  }
  compression_ = options_.compression.value_or(identity_.compression);
  TURNLOG_TRY(RequireFolder(files, paths_.log()));
  segments_ = std::make_shared<SegmentSet>(files, paths_.log(), identity_, writing);
  return writing ? OpenForWriting(rebuild) : OpenForReading();
}

Result<std::shared_ptr<Index>> EventLog::OpenIndex(IndexBase::Access access, const std::filesystem::path& folder) {
  auto base = TURNLOG_TRY(IndexBase::Open(folder, access, environment_));
  IndexMeta meta{.store_high = identity_.id_high, .store_low = identity_.id_low};
  if (const auto value = TURNLOG_TRY(base->Get(MetaKey()))) {
    const auto stored = DecodeMeta(*value);
    if (!stored || stored->store_high != meta.store_high || stored->store_low != meta.store_low) {
      return Refuse(ErrorCode::kCorruption, "the index has another version or belongs to another store");
    }
    meta = *stored;
  }
  if (access == IndexBase::Access::kWrite && base->BytesOnDisk() <= kIndexCheckedOnOpen) {
    TURNLOG_TRY(base->VerifyChecksums());
  }
  return std::make_shared<Index>(std::move(base), meta);
}

// Checks the log first, so that a damaged log never costs the index; then brings the index up to date.
Status EventLog::OpenForWriting(const Rebuild& rebuild) {
  // A killed writer may have left directory entries that are not durable yet.
  TURNLOG_TRY(environment_.files->SyncDirectory(paths_.root));
  TURNLOG_TRY(environment_.files->SyncDirectory(paths_.log()));
  TURNLOG_TRY(segments_->RemoveTemporaries());
  TURNLOG_TRY(IndexBase::Restore(paths_.index(), paths_.old_index(), environment_));
  TURNLOG_TRY(IndexBase::Remove(paths_.new_index(), environment_));
  TURNLOG_TRY(IndexBase::Remove(paths_.old_index(), environment_));
  TURNLOG_TRY(segments_->Refresh());
  auto index = OpenIndex(IndexBase::Access::kWrite, paths_.index());
  if (!index && !IsUnusable(index.error()) && (!rebuild.wanted || index.error().code != ErrorCode::kIo)) {
    return CannotTell(std::move(index).error());
  }
  const bool lost = !index && index.error().code == ErrorCode::kNotFound;
  const std::uint64_t known = index ? (*index)->meta().checkpoint : 0;
  // Who wants another index does not trust this one.
  const bool trusted =
      !rebuild.wanted || (index && TURNLOG_TRY(IsEndOfAppend(*segments_, {known, (*index)->meta().tail})));
  const LogEnd log_end = TURNLOG_TRY(SettleLogEnd(trusted ? known : 0, known));
  const std::vector<Tombstone> interrupted = segments_->erasures().all();
  TURNLOG_TRY(Overwrite(interrupted));
  // What a killed writer leaves is about one checkpoint, which is written later: nobody waits for it.
  auto report = index && !rebuild.wanted ? ReplayTo(**index, log_end.end, {.checkpoint_memory = kManyIndexBytes})
                                         : Refuse(ErrorCode::kCorruption, "");
  if (!report && IsUnusable(report.error())) {
    auto old = std::exchange(index, std::shared_ptr<Index>());
    report = RebuildIndex(old ? *std::move(old) : nullptr, lost, log_end.end, rebuild.progress);
    if (report) index = index_;
  }
  if (!report) return std::unexpected(std::move(report).error());
  TURNLOG_TRY(RefuseDamage(report->damage));
  TURNLOG_TRY(UpgradeStore(*environment_.files, paths_, identity_));
  index_ = *std::move(index);
  return StartWriting(log_end, *report, !interrupted.empty());
}

// The maintenance thread comes last: no checkpoint passes an erasure that is not complete.
Status EventLog::StartWriting(const LogEnd& log_end, const ReplayReport& replayed, bool erased) {
  const SegmentExtent last = TURNLOG_TRY(LastSegment(*segments_, log_end.end));
  committer_ = std::make_unique<Committer>(*segments_, last, replayed.mark, options_.segment_bytes, log_end.confirmed,
                                           options_.on_sync);
  room_end_ = RoomAfter(replayed.mark.end);
  if (log_end.confirmed < replayed.mark.end) ArmClaim();
  if (erased) TURNLOG_TRY(ReportErased());
  TURNLOG_TRY(EraseOrphans(replayed.orphans));
  maintenance_ = std::thread([this] { Maintain(); });
  return {};
}

// Finds the end of the log, makes everything before it durable, and truncates the torn tail. `known`: everything before
// it was durable, according to the index.
Result<LogEnd> EventLog::SettleLogEnd(std::uint64_t from, std::uint64_t known) {
  LogEnd log_end = TURNLOG_TRY(FindLogEnd(*segments_, from));
  if (!log_end.lost_end) log_end.lost_end = TURNLOG_TRY(MissingBefore(*segments_, known));
  if (!log_end.lost_end && log_end.end < known) {
    log_end.lost_end = segments_->DamageAt(log_end.end, known, "corrupt record in synced data");
  }
  if (log_end.lost_end) log_end.damage.push_back(*std::move(log_end.lost_end));
  TURNLOG_TRY(RefuseDamage(log_end.damage));
  const SegmentExtent last = TURNLOG_TRY(LastSegment(*segments_, log_end.end));
  const auto segment = TURNLOG_TRY(segments_->Find(last.base));
  const std::uint64_t size = segment == nullptr ? last.size : TURNLOG_TRY(segment->file->Size());
  const bool closed = size < last.size;
  // A segment is cut only after everything before the cut has been synced.
  const bool synced = closed && last.base + size == log_end.end;
  if (!synced) TURNLOG_TRY(RewriteUnsynced(*segments_, log_end.durable, log_end.end));
  TURNLOG_TRY(SyncFrom(*segments_, from));
  // Preallocated segments may have another size than needed now.
  const bool unused = segments_->NextFrom(last.end()).has_value();
  if (log_end.torn_bytes > 0 || closed || unused) TURNLOG_TRY(TruncateTornTail(*segments_, log_end.end));
  return log_end;
}

Result<ReplayReport> EventLog::ReplayTo(Index& index, std::uint64_t end, ReplayOptions options) {
  const IndexMeta meta = index.meta();
  options.salt = identity_.salt();
  options.checkpoint_bytes = options_.checkpoint_bytes;
  return Replay(*segments_, index, {meta.checkpoint, meta.tail}, end, options);
}

// If the index is lost, an interruption leaves an index with an earlier checkpoint, or an incomplete one. An existing
// index is kept until the new one is complete and replaces it. `old`: the index, if it could be opened.
Result<ReplayReport> EventLog::RebuildIndex(std::shared_ptr<Index> old, bool lost, std::uint64_t end,
                                            const Progress& progress) {
  const std::filesystem::path folder = lost ? paths_.index() : paths_.new_index();
  TURNLOG_TRY(IndexBase::Remove(folder, environment_));
  auto index = TURNLOG_TRY(OpenIndex(IndexBase::Access::kCreate, folder));
  ReplayReport report = TURNLOG_TRY(ReplayTo(*index, end, {.progress = progress}));
  if (!lost && report.damage.empty()) {
    index->BeginCheckpoint([&] { return report.mark; });
    TURNLOG_TRY(index->WriteCheckpoint());
    if (old != nullptr) (void)TURNLOG_TRY(KeepWatermarks(old->base(), index->base()));
    old.reset();  // closes RocksDB's files
    index.reset();
    TURNLOG_TRY(IndexBase::Replace(paths_.index(), folder, paths_.old_index(), environment_));
    index = TURNLOG_TRY(OpenIndex(IndexBase::Access::kWrite, paths_.index()));
    // An error that RocksDB kept to itself when it closed the files may have cost the last entries.
    (void)TURNLOG_TRY(ReplayTo(*index, end, {}));
  }
  index_ = std::move(index);
  return report;
}

Status EventLog::OpenForReading() {
  // Before the log is read: a run of `backup` may add to both.
  const std::uint64_t backed_up = TURNLOG_TRY(ReadBackupEnd(*environment_.files, paths_.root, open_damage_));
  // Open the index first: with a concurrent writer, the segments must reach at least as far as the index.
  auto index = OpenIndex(IndexBase::Access::kRead, paths_.index());
  // The writer may be putting a rebuilt one in its place.
  if (!index && TURNLOG_TRY(Exists(*environment_.files, paths_.old_index()))) {
    index = OpenIndex(IndexBase::Access::kRead, paths_.index());
  }
  TURNLOG_TRY(segments_->Refresh(&open_damage_));
  if (!index) {
    const bool backup = TURNLOG_TRY(Exists(*environment_.files, paths_.root / kBackupFile));
    open_notes_.push_back(
        backup ? "this is a backup without an index: every command reads the whole log and is slow"
               : fmt::format("the store has no usable index ({}): every command reads the whole log and is slow; {}",
                             index.error().message, CureFor(index.error())));
    scratch_ = true;
    index = std::make_shared<Index>(TURNLOG_TRY(IndexBase::MakeScratch()),
                                    IndexMeta{.store_high = identity_.id_high, .store_low = identity_.id_low});
  }
  const std::scoped_lock lock(refresh_mutex_);
  TURNLOG_TRY(CatchUp(*std::move(index), true));
  if (read_mark_.end < backed_up && open_damage_.empty()) {
    open_damage_.push_back(segments_->DamageAt(read_mark_.end, backed_up, "corrupt record in synced data"));
  }
  NoteDamage();
  return {};
}

// Reading goes on around damage, and only this says what is lost at the end of the log.
void EventLog::NoteDamage() {
  if (open_damage_.empty()) return;
  open_notes_.push_back(
      fmt::format("the log is damaged, and what is intact is read: {}; `logctl verify` reports all of it",
                  ToString(open_damage_.front())));
}

// Brings a reader's index up to date with the log. `fresh`: it then replaces index_.
Status EventLog::CatchUp(std::shared_ptr<Index> index, bool fresh) {
  const IndexMeta meta = index->meta();
  const LogOffset from = fresh ? LogOffset{meta.checkpoint, meta.tail} : read_mark_;
  const LogEnd log_end =
      TURNLOG_TRY(FindLogEnd(*segments_, from.end, fresh ? ZeroPolicy::kScanOn : ZeroPolicy::kNothing));
  if (log_end.end == from.end && !fresh) return {};
  ReplayReport report = TURNLOG_TRY(Replay(*segments_, *index, from, log_end.end,
                                           {.salt = identity_.salt(),
                                            .checkpoint_bytes = scratch_ ? options_.checkpoint_bytes : 0,
                                            .verify_contents = false,
                                            .progress = {}}));
  if (fresh) open_damage_.insert(open_damage_.end(), report.damage.begin(), report.damage.end());
  if (fresh && log_end.lost_end) open_damage_.push_back(*log_end.lost_end);
  read_mark_ = report.mark;
  const std::scoped_lock lock(index_mutex_);
  index_ = std::move(index);
  read_end_.store(read_mark_.end, std::memory_order_release);
  return {};
}

Status EventLog::Refresh() {
  TURNLOG_TRY(MustBeOpen());
  if (committer_ != nullptr) return {};
  const std::scoped_lock lock(refresh_mutex_);
  TURNLOG_TRY(MustBeOpen());  // Close takes the lock, too
  auto index = TURNLOG_TRY(this->index());
  // Bounds a reader's memory: switches to the writer's newer checkpoint.
  bool fresh = false;
  if (!scratch_ && read_mark_.end - index->meta().checkpoint > 2 * options_.checkpoint_bytes) {
    auto newer = OpenIndex(IndexBase::Access::kRead, paths_.index());
    fresh = newer && (*newer)->meta().checkpoint > index->meta().checkpoint;
    if (fresh) index = *std::move(newer);
  }
  TURNLOG_TRY(segments_->Renew(read_mark_.end));
  return CatchUp(std::move(index), fresh);
}

}  // namespace turnlog
