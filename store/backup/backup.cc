#include "store/backup/backup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <optional>

#include "base/try.h"
#include "store/backup/backup_files.h"
#include "store/backup/log_copy.h"
#include "store/engine/verify.h"
#include "store/index/index_base.h"
#include "store/index/index_format.h"
#include "store/segments/log_end.h"
#include "store/segments/store_identity.h"
#include "store/segments/writer_lock.h"

namespace turnlog {
namespace {

std::unexpected<Error> Refuse(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

Timestamp Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::floor<std::chrono::seconds>(now) / std::chrono::nanoseconds{1}};
}

// One run of a backup.
class BackupRun {
 public:
  BackupRun(FileSystem& files, StorePaths from, StorePaths to, const BackupOptions& options)
      : files_(files), from_(std::move(from)), to_(std::move(to)), options_(options) {}

  Result<BackupReport> Run() {
    TURNLOG_TRY(CheckApart(from_, to_));
    identity_ = TURNLOG_TRY(ReadIdentity(files_, from_));
    report_.store_id = identity_.id();
    TURNLOG_TRY(PrepareTarget());
    const auto lock = TURNLOG_TRY(AcquireWriterLock(files_, to_.lock(), "logctl backup"));
    const std::uint64_t durable = KnownDurable();  // before the log is read: a writer goes on
    source_ = std::make_unique<SegmentSet>(files_, from_.log(), identity_, false);
    std::vector<Damage> missing;  // segments that cannot be read
    TURNLOG_TRY(source_->Refresh(&missing));
    const std::uint64_t begin = TURNLOG_TRY(ContinueFrom());
    const std::uint64_t end = TURNLOG_TRY(CopyFrom(begin));
    TURNLOG_TRY(Complete(end));
    if (options_.verify) TURNLOG_TRY(Verify());
    if (!lost_end_ && end < durable) lost_end_ = source_->DamageAt(end, durable, "corrupt record in synced data");
    if (lost_end_) missing.push_back(*lost_end_);
    report_.damage_count += missing.size();
    std::ranges::move(missing, std::back_inserter(report_.damage));
    return std::move(report_);
  }

 private:
  // Up to where the store's index has recorded the log as durable; 0 if there is no index that says so.
  std::uint64_t KnownDurable() {
    const auto base = IndexBase::Open(from_.index(), IndexBase::Access::kRead, Environment{.files = &files_});
    const auto value = base ? (*base)->Get(MetaKey()) : std::optional<std::string>();
    const auto meta = value && *value ? DecodeMeta(**value) : std::nullopt;
    const bool of_this_store = meta && meta->store_high == identity_.id_high && meta->store_low == identity_.id_low;
    return of_this_store ? meta->checkpoint : 0;
  }

  // Refuses a folder with anything but a backup in it, before a file of it is touched.
  Status PrepareTarget() {
    TURNLOG_TRY(MakeFolder(files_, to_));
    if (TURNLOG_TRY(Exists(files_, to_.identity())) && !TURNLOG_TRY(Exists(files_, to_.root / kBackupFile))) {
      return Refuse(ErrorCode::kInvalidArgument, fmt::format("{} is a store, not a backup", to_.root.string()));
    }
    constexpr std::array<std::string_view, 9> kOurs{"BACKUP",  "BACKUP.tmp",  "LOCK",  "STORE", "STORE.tmp",
                                                    "backups", "backups.tmp", "index", "log"};
    for (const std::string& name : TURNLOG_TRY(files_.List(to_.root))) {
      if (std::ranges::find(kOurs, name) != kOurs.end()) continue;
      return Refuse(ErrorCode::kInvalidArgument,
                    fmt::format("{} is not empty and holds no backup: it has a file \"{}\"", to_.root.string(), name));
    }
    TURNLOG_TRY(files_.CreateDirectory(to_.log()));
    return files_.SyncDirectory(to_.root);
  }

  // Where the previous run ended; 0 for a new backup.
  Result<std::uint64_t> ContinueFrom() {
    if (!TURNLOG_TRY(Exists(files_, to_.identity()))) return 0;
    const StoreIdentity there = TURNLOG_TRY(ReadIdentity(files_, to_));
    if (there.id() != identity_.id()) {
      return Refuse(ErrorCode::kInvalidArgument, fmt::format("{} is a backup of another store", to_.root.string()));
    }
    const auto end = DecodeBackup(TURNLOG_TRY(ReadFile(files_, to_.root / kBackupFile)));
    if (!end) {
      return Refuse(ErrorCode::kCorruption,
                    fmt::format("{}/BACKUP is damaged: back up to another folder", to_.root.string()));
    }
    if (*end > 0) TURNLOG_TRY(CheckSameHistory(there, *end));
    report_.incremental = *end > 0;
    return *end;
  }

  Status CheckSameHistory(const StoreIdentity& there, std::uint64_t end) {
    SegmentSet backup(files_, to_.log(), there, false);
    std::vector<Damage> ignored;
    TURNLOG_TRY(backup.Refresh(&ignored));
    const auto theirs = TURNLOG_TRY(RecordBefore(backup, end));
    const auto ours = TURNLOG_TRY(RecordBefore(*source_, end));
    if (ours && theirs && ours->Matches(*theirs)) return {};
    // The previous run was interrupted while it overwrote this record; this run overwrites it again.
    if (ours && !ours->hash && !theirs) return {};
    if (!theirs) {
      return Refuse(
          ErrorCode::kCorruption,
          fmt::format("the last record of the backup at {} is damaged: back up to another folder", to_.root.string()));
    }
    return Refuse(ErrorCode::kConflict,
                  fmt::format("the store does not hold the last record of the backup at {}: one of the two has been "
                              "restored or damaged since; back up to another folder",
                              to_.root.string()));
  }

  // A concurrent writer may erase records while they are copied, and writes an erase intent first: once no intent has
  // been written since the copy ended, the copy is complete and free of erased records.
  Result<std::uint64_t> CopyFrom(std::uint64_t begin) {
    LogCopy copy(files_, *source_, to_.log());
    for (bool copied = false;; copied = true) {
      TURNLOG_TRY(source_->Renew(begin));
      const LogEnd log_end = TURNLOG_TRY(FindLogEnd(*source_, begin));
      const EraseIntents intents = TURNLOG_TRY(ReadEraseIntents(*source_, begin, log_end.end));
      if (copied && intents.frames.empty()) return begin;
      lost_end_ = log_end.lost_end;
      const std::uint64_t total = report_.copied_bytes + log_end.end - begin;
      TURNLOG_TRY(copy.Extend(begin, log_end.end, [&](std::uint64_t bytes) {
        report_.copied_bytes += bytes;
        if (options_.progress) options_.progress(report_.copied_bytes, total);
      }));
      TURNLOG_TRY(copy.Overwrite(intents.frames));
      report_.erased_frames += intents.frames.size();
      last_erase_ = std::max(last_erase_, intents.end);
      begin = log_end.end;
    }
  }

  // STORE comes last: without it the folder is no store.
  Status Complete(std::uint64_t end) {
    identity_ = TURNLOG_TRY(ReadIdentity(files_, from_));  // a writer may have upgraded the store meanwhile
    const Timestamp now = Now();
    TURNLOG_TRY(WriteFile(files_, to_.root / kBackupFile, EncodeBackup(end, now)));
    TURNLOG_TRY(WriteFile(files_, to_.identity(), EncodeIdentity(identity_)));
    // Read as late as possible: another backup may have ended meanwhile.
    BackupRegistry registry = TURNLOG_TRY(ReadRegistry(files_, from_.root));
    registry.erased = std::max(registry.erased, last_erase_);
    registry.Put({end, now, to_.root.string()});
    for (const BackupEntry& entry : registry.entries) {
      if (entry.end < registry.erased) report_.outdated.push_back({entry.folder, entry.time, true});
    }
    return WriteFile(files_, from_.root / kBackupsFile, EncodeRegistry(registry));
  }

  Status Verify() {
    VerifyReport verified = TURNLOG_TRY(VerifyStore(to_.root, options_.progress, Environment{.files = &files_}));
    report_.records = verified.records;
    report_.events = verified.events;
    report_.conversations = verified.conversations;
    report_.damage_count = verified.damage_count;
    report_.damage = std::move(verified.damage);
    return {};
  }

  FileSystem& files_;
  const StorePaths from_, to_;
  const BackupOptions& options_;
  StoreIdentity identity_;
  std::unique_ptr<SegmentSet> source_;
  std::uint64_t last_erase_ = 0;    // the end of the last erase intent in what was copied
  std::optional<Damage> lost_end_;  // the store has lost records at its end, so that the copy ends before them
  BackupReport report_;
};

}  // namespace

Status CheckApart(const StorePaths& from, const StorePaths& to) {
  const auto within = [](const std::filesystem::path& inner, const std::filesystem::path& outer) {
    return std::ranges::mismatch(outer, inner).in1 == outer.end();
  };
  if (!within(to.root, from.root) && !within(from.root, to.root)) return {};
  return Refuse(ErrorCode::kInvalidArgument,
                fmt::format("{} and {}: one contains the other, or they are the same folder", from.root.string(),
                            to.root.string()));
}

Status MakeFolder(FileSystem& files, const StorePaths& to) {
  const std::filesystem::path parent = to.root.parent_path();
  if (TURNLOG_TRY(files.KindOf(parent)) != FileKind::kFolder) {
    return Refuse(ErrorCode::kInvalidArgument, fmt::format("there is no folder {}", parent.string()));
  }
  TURNLOG_TRY(files.CreateDirectory(to.root));
  return files.SyncDirectory(parent);
}

Result<BackupReport> BackupStore(FileSystem& files, const std::filesystem::path& from, const std::filesystem::path& to,
                                 const BackupOptions& options) {
  StorePaths source = TURNLOG_TRY(StorePaths::At(from)), target = TURNLOG_TRY(StorePaths::At(to));
  if (target.root.string().find('\n') != std::string::npos) {
    return Refuse(ErrorCode::kInvalidArgument, "the path of a backup must not contain a line break");
  }
  return BackupRun(files, std::move(source), std::move(target), options).Run();
}

Result<BackupReport> BackupStore(const std::filesystem::path& from, const std::filesystem::path& to,
                                 const BackupOptions& options) {
  return BackupStore(PosixFileSystem(), from, to, options);
}

Result<std::vector<KnownBackup>> ListBackups(const std::filesystem::path& store) {
  const StorePaths paths = TURNLOG_TRY(StorePaths::At(store));
  const BackupRegistry registry = TURNLOG_TRY(ReadRegistry(PosixFileSystem(), paths.root));
  std::vector<KnownBackup> backups;
  for (const BackupEntry& entry : registry.entries) {
    backups.push_back({entry.folder, entry.time, entry.end < registry.erased});
  }
  return backups;
}

}  // namespace turnlog
