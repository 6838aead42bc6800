#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/try.h"
#include "store/backup/backup.h"
#include "store/backup/backup_files.h"
#include "store/backup/log_copy.h"
#include "store/engine/verify.h"
#include "store/segments/log_end.h"
#include "store/segments/store_identity.h"

namespace turnlog {
namespace {

constexpr std::string_view kRestoringTemporary = "RESTORING.tmp";

std::unexpected<Error> Refuse(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

class RestoreRun {
 public:
  RestoreRun(FileSystem& files, StorePaths from, StorePaths to, const RestoreOptions& options)
      : files_(files), from_(std::move(from)), to_(std::move(to)), options_(options) {}

  Result<RestoreReport> Run() {
    TURNLOG_TRY(CheckApart(from_, to_));
    const StoreIdentity identity = TURNLOG_TRY(ReadIdentity(files_, from_));
    report_.store_id = identity.id();
    TURNLOG_TRY(PrepareTarget());
    TURNLOG_TRY(Copy(identity));
    TURNLOG_TRY(WriteFile(files_, to_.identity(), EncodeIdentity(identity)));
    if (const Status verified = Verify(); !verified) {
      TURNLOG_TRY(Clear());
      return std::unexpected(verified.error());
    }
    TURNLOG_TRY(files_.Remove(to_.root / kRestoringFile));
    TURNLOG_TRY(files_.SyncDirectory(to_.root));
    if (report_.damage_count == 0) TURNLOG_TRY(ReindexStore(to_.root, options_.progress));
    return std::move(report_);
  }

 private:
  Status PrepareTarget() {
    TURNLOG_TRY(MakeFolder(files_, to_));
    const bool interrupted = TURNLOG_TRY(Exists(files_, to_.root / kRestoringFile));
    if (!interrupted && !TURNLOG_TRY(IsEmpty())) {
      return Refuse(ErrorCode::kInvalidArgument, fmt::format("{} is not empty", to_.root.string()));
    }
    TURNLOG_TRY(Clear());
    TURNLOG_TRY(WriteFile(files_, to_.root / kRestoringFile, "logctl restore did not finish\n"));
    TURNLOG_TRY(files_.CreateDirectory(to_.log()));
    return files_.SyncDirectory(to_.root);
  }

  // True also for the remains of an earlier run that failed, or was interrupted at its beginning.
  Result<bool> IsEmpty() {
    const auto names = TURNLOG_TRY(files_.List(to_.root));
    const auto is_ours = [](const std::string& name) { return name == "log" || name == kRestoringTemporary; };
    if (!std::ranges::all_of(names, is_ours)) return false;
    return !TURNLOG_TRY(Exists(files_, to_.log())) || TURNLOG_TRY(files_.List(to_.log())).empty();
  }

  // Removes everything restored so far, STORE first, RESTORING last.
  Status Clear() {
    for (const std::string_view name : {"STORE", "STORE.tmp"}) TURNLOG_TRY(RemoveIfThere(to_.root / name));
    if (TURNLOG_TRY(Exists(files_, to_.log()))) {
      const auto names = TURNLOG_TRY(files_.List(to_.log()));
      for (const std::string& name : names) TURNLOG_TRY(files_.Remove(to_.log() / name));
    }
    TURNLOG_TRY(RemoveIfThere(to_.root / kRestoringTemporary));
    return RemoveIfThere(to_.root / kRestoringFile);
  }

  Status RemoveIfThere(const std::filesystem::path& path) {
    if (TURNLOG_TRY(Exists(files_, path))) return files_.Remove(path);
    return {};
  }

  // Up to the last complete append. An interrupted backup may hold frames that it had still to overwrite.
  Status Copy(const StoreIdentity& identity) {
    SegmentSet source(files_, from_.log(), identity, false);
    std::vector<Damage> ignored;  // is found in the copy
    TURNLOG_TRY(source.Refresh(&ignored));
    const LogEnd log_end = TURNLOG_TRY(FindLogEnd(source, 0));
    // What an interrupted run left after the end that BACKUP names may stop anywhere.
    const auto complete = TURNLOG_TRY(CompleteEnd());
    if (!complete || log_end.end < *complete) lost_end_ = log_end.lost_end;
    if (!lost_end_ && complete && log_end.end < *complete) {
      lost_end_ = source.DamageAt(log_end.end, *complete, "the log ends before the end that BACKUP names");
    }
    LogCopy copy(files_, source, to_.log());
    std::uint64_t done = 0;
    TURNLOG_TRY(copy.Extend(0, log_end.end, [&](std::uint64_t bytes) {
      if (options_.progress) options_.progress(done += bytes, log_end.end);
    }));
    return copy.Overwrite(TURNLOG_TRY(ReadEraseIntents(source, 0, log_end.end)).frames);
  }

  // The end that BACKUP names, if it can be read.
  Result<std::optional<std::uint64_t>> CompleteEnd() {
    const auto path = from_.root / kBackupFile;
    if (!TURNLOG_TRY(Exists(files_, path))) return std::nullopt;
    return DecodeBackup(TURNLOG_TRY(ReadFile(files_, path)));
  }

  Status Verify() {
    VerifyReport verified = TURNLOG_TRY(VerifyStore(to_.root, options_.progress, Environment{.files = &files_}));
    report_.records = verified.records;
    report_.events = verified.events;
    report_.conversations = verified.conversations;
    report_.damage_count = verified.damage_count + (lost_end_ ? 1 : 0);
    report_.damage = std::move(verified.damage);
    if (lost_end_) report_.damage.push_back(*lost_end_);
    if (report_.damage_count == 0 || options_.partial) return {};
    return Refuse(ErrorCode::kCorruption,
                  fmt::format("the backup is damaged: {}{}", ToString(report_.damage.front()),
                              report_.damage_count > 1 ? fmt::format(" (and {} more)", report_.damage_count - 1) : ""));
  }

  FileSystem& files_;
  const StorePaths from_, to_;
  const RestoreOptions& options_;
  RestoreReport report_;
  std::optional<Damage> lost_end_;  // the backup has lost records at its end, so that the copy ends before them
};

}  // namespace

Result<RestoreReport> RestoreStore(FileSystem& files, const std::filesystem::path& from,
                                   const std::filesystem::path& to, const RestoreOptions& options) {
  return RestoreRun(files, TURNLOG_TRY(StorePaths::At(from)), TURNLOG_TRY(StorePaths::At(to)), options).Run();
}

Result<RestoreReport> RestoreStore(const std::filesystem::path& from, const std::filesystem::path& to,
                                   const RestoreOptions& options) {
  return RestoreStore(PosixFileSystem(), from, to, options);
}

}  // namespace turnlog
