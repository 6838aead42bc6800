// Verifies a whole store: reads every record, builds a temporary index, and compares it with the store's index.
#include "store/engine/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/try.h"
#include "store/backup/backup_files.h"
#include "store/engine/event_log.h"
#include "store/engine/index_comparison.h"
#include "store/index/replay.h"
#include "store/segments/log_end.h"

namespace turnlog {
namespace {

constexpr std::size_t kListed = IndexDifferences::kListed;
constexpr std::uint64_t kScratchCheckpoint = 64 << 20;  // bounds the memory of the temporary index
constexpr int kIndexTries = 5;
constexpr std::chrono::milliseconds kIndexPause{50};

class Verifier {
 public:
  Verifier(StorePaths paths, const Progress& progress, const Environment& environment)
      : paths_(std::move(paths)), progress_(progress), environment_(environment) {}

  Result<VerifyReport> Run() {
    identity_ = TURNLOG_TRY(ReadIdentity(*environment_.files, paths_));
    report_.store_id = identity_.id();
    // Open the index first: with a concurrent writer, the log must reach at least as far as the index.
    if (TURNLOG_TRY(MayHaveIndex())) OpenStoreIndex();
    segments_ = std::make_unique<SegmentSet>(*environment_.files, paths_.log(), identity_, false);
    std::vector<Damage> damage;
    // Before the log is read: a run of `backup` may add to both.
    const std::uint64_t backed_up = TURNLOG_TRY(ReadBackupEnd(*environment_.files, paths_.root, damage));
    TURNLOG_TRY(segments_->Refresh(&damage));
    AddDamage(std::move(damage));
    CountSegments();
    const std::uint64_t known = meta_ ? meta_->checkpoint : 0;
    // The replay finds what is wrong before that.
    const bool agrees = meta_ && known > 0 && TURNLOG_TRY(IsEndOfAppend(*segments_, {known, meta_->tail}));
    const LogEnd log_end = TURNLOG_TRY(FindLogEnd(*segments_, agrees ? known : 0));
    const std::uint64_t durable = std::max(known, backed_up);
    report_.unfinished_bytes = log_end.torn_bytes;
    report_.unclaimed_bytes = log_end.end - std::min(log_end.end, std::max(log_end.confirmed, durable));
    if (log_end.lost_end) AddDamage({*log_end.lost_end});

    Index rebuilt(TURNLOG_TRY(IndexBase::MakeScratch()),
                  {.store_high = identity_.id_high, .store_low = identity_.id_low});
    if (durable > log_end.end && !log_end.lost_end) {
      AddDamage({segments_->DamageAt(log_end.end, durable, "corrupt record in synced data")});
    }
    const std::uint64_t compared = std::min(known, log_end.end);
    const LogOffset mark = TURNLOG_TRY(ReplayTo(rebuilt, {}, compared, log_end.end));
    if (meta_ && known <= log_end.end) TURNLOG_TRY(CompareWith(rebuilt, mark));
    TURNLOG_TRY(ReplayTo(rebuilt, mark, log_end.end, log_end.end));
    report_.conversations = rebuilt.totals().conversations;
    return std::move(report_);
  }

 private:
  Result<std::unique_ptr<IndexBase>> OpenChecked() {
    auto base = TURNLOG_TRY(IndexBase::Open(paths_.index(), IndexBase::Access::kRead, environment_));
    TURNLOG_TRY(base->VerifyChecksums());
    return base;
  }

  // A backup has no index until it is restored.
  Result<bool> MayHaveIndex() {
    if (TURNLOG_TRY(Exists(*environment_.files, paths_.index()))) return true;
    for (const std::string_view name : {kBackupFile, kRestoringFile}) {
      if (TURNLOG_TRY(Exists(*environment_.files, paths_.root / name))) return false;
    }
    return true;
  }

  void OpenStoreIndex() {
    auto base = OpenChecked();
    // A concurrent writer may be replacing the files, or creating the first ones.
    for (int tries = 1; !base && base.error().code != ErrorCode::kIo && tries < kIndexTries; ++tries) {
      std::this_thread::sleep_for(kIndexPause);
      base = OpenChecked();
    }
    if (!base && base.error().code == ErrorCode::kNotFound) {
      report_.notes.push_back(fmt::format(
          "the store has no index ({}): `logctl reindex`, or the next writer, rebuilds it", base.error().message));
      return;
    }
    if (!base) return AddDifference("the index cannot be read: " + base.error().message);
    const auto value = (*base)->Get(MetaKey());
    if (!value) return AddDifference(value.error().message);
    if (!*value) return;  // no checkpoint yet: the index is empty
    meta_ = DecodeMeta(**value);
    if (!meta_) return AddDifference("the index has another version");
    if (meta_->store_high != identity_.id_high || meta_->store_low != identity_.id_low) {
      meta_.reset();
      return AddDifference("the index belongs to another store");
    }
    index_ = *std::move(base);
  }

  void CountSegments() {
    for (const SegmentExtent& extent : segments_->all()) {
      ++report_.segments;
      if (extent.base != next_base_) {
        AddDamage({{.file = "log/" + SegmentName(next_base_),
                    .length = extent.base - next_base_,
                    .reason = "the segment is missing"}});
      }
      next_base_ = extent.end();
    }
  }

  Result<LogOffset> ReplayTo(Index& index, LogOffset from, std::uint64_t to, std::uint64_t total) {
    const std::uint64_t done = from.end;
    Progress progress;
    if (progress_) progress = [&](std::uint64_t here, std::uint64_t) { progress_(done + here, total); };
    ReplayReport replay = TURNLOG_TRY(Replay(*segments_, index, from, to,
                                             {.salt = identity_.salt(),
                                              .checkpoint_bytes = kScratchCheckpoint,
                                              .verify_contents = true,
                                              .progress = progress}));
    report_.records += replay.records;
    report_.events += replay.events;
    report_.erased += replay.erased;
    report_.redacted += replay.redacted;
    report_.bytes += to - done;
    AddDamage(std::move(replay.damage));
    return replay.mark;
  }

  Status CompareWith(Index& rebuilt, LogOffset mark) {
    rebuilt.BeginCheckpoint([&] { return mark; });
    TURNLOG_TRY(rebuilt.WriteCheckpoint());
    const IndexDifferences found = TURNLOG_TRY(CompareIndexes(*index_, rebuilt.base()));
    report_.index_entries += found.entries;
    report_.index_difference_count += found.count;
    report_.index_differences.insert(report_.index_differences.end(), found.first.begin(), found.first.end());
    return {};
  }

  void AddDamage(std::vector<Damage> damage) {
    for (Damage& one : damage) {
      ++report_.damage_count;
      if (report_.damage.size() < kListed) report_.damage.push_back(std::move(one));
    }
  }

  void AddDifference(std::string text) {
    ++report_.index_difference_count;
    if (report_.index_differences.size() < kListed) report_.index_differences.push_back(std::move(text));
  }

  const StorePaths paths_;
  const Progress& progress_;
  const Environment environment_;
  StoreIdentity identity_;
  std::unique_ptr<IndexBase> index_;
  std::optional<IndexMeta> meta_;
  std::unique_ptr<SegmentSet> segments_;
  std::uint64_t next_base_ = 0;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> VerifyStore(const std::filesystem::path& path, const Progress& progress,
                                 const Environment& environment) {
  return Verifier(TURNLOG_TRY(StorePaths::At(path)), progress, environment).Run();
}

Result<VerifyReport> VerifyStore(const std::filesystem::path& path, const Progress& progress) {
  return VerifyStore(path, progress, Environment{});
}

Status ReindexStore(const std::filesystem::path& path, const Progress& progress) {
  const SegmentOptions options{.mode = OpenMode::kWrite, .holder = "reindex"};
  const auto log = TURNLOG_TRY(EventLog::Open(path, options, Environment{}, {.wanted = true, .progress = progress}));
  return log->Close();
}

Result<bool> ReindexLog(Log& log, const ReindexOptions& options) {
  auto* const of_segments = dynamic_cast<EventLog*>(&log);
  if (of_segments != nullptr) return of_segments->Reindex(options);
  return std::unexpected(Error{ErrorCode::kUnsupported, "only a store in a folder has an index that can be rebuilt"});
}

}  // namespace turnlog
