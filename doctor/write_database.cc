#include "doctor/write_database.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "doctor/open_files.h"
#include "doctor/pending_file.h"
#include "doctor/replace_file.h"
#include "doctor/write_session.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

void Step(const DoctorOptions& options, std::string_view step) {
  if (options.on_step) options.on_step(step);
}

std::unexpected<Error> Refuse(std::string why) {
  return std::unexpected(Error{ErrorCode::kUnsupported, std::move(why)});
}

Status CopyTo(const DatabaseWrite& wanted, const Database& database, const fs::path& to, bool with_changes) {
  PendingFile file = TURNLOG_TRY(PendingFile::Create(to));
  TURNLOG_TRY(database.CopyTo(file.temporary(), wanted.is_damaged));
  if (with_changes) {
    TURNLOG_TRY(WriteRowChanges(file.temporary(), wanted.changes, {.overwrite = wanted.options.redact}));
  }
  TURNLOG_TRY(file.Complete(wanted.seen));
  return file.Rename();
}

fs::path NewBackupName(const fs::path& path) {
  std::error_code ignored;
  for (unsigned number = 1;; ++number) {
    const std::string more = number > 1 ? fmt::format(".{}", number) : std::string();
    fs::path backup = path.string() + more + std::string(kBackupSuffix);
    if (!fs::exists(backup, ignored)) return backup;
  }
}

}  // namespace

void OpenDatabase::Close() {
  database.reset();
  source.reset();
}

Status WriteDatabaseCopy(const DatabaseWrite& wanted, const Database& database, const fs::path& copy) {
  TURNLOG_TRY(CheckCopy(wanted.path, copy));
  std::error_code ignored;
  for (const std::string_view end : kDatabaseLogs) {
    const fs::path log = copy.string() + std::string(end);
    if (!fs::exists(fs::symlink_status(log, ignored))) continue;
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, fmt::format("the copy would get the log {}", log.string())});
  }
  if (copy.has_parent_path()) fs::create_directories(copy.parent_path(), ignored);
  return CopyTo(wanted, database, copy, true);
}

Result<fs::path> ReplaceRows(const DatabaseWrite& wanted, OpenDatabase& open) {
  const DoctorOptions& options = wanted.options;
  if (wanted.is_damaged) return Refuse("a damaged database: give --out");
  // The log may be beside another name.
  if (wanted.seen.st_nlink > 1) return Refuse("it has further names: give --out");
  Step(options, "open");
  TURNLOG_TRY(CheckIdle(wanted.path, options.idle_seconds));
  Step(options, "backup");
  const fs::path backup = options.redact ? fs::path() : NewBackupName(wanted.path);
  if (!backup.empty()) TURNLOG_TRY(CopyTo(wanted, *open.database, backup, false));
  Step(options, "write");
  open.Close();
  Status written = CheckIdle(wanted.path, options.idle_seconds);
  if (written) written = WriteRowChanges(wanted.path, wanted.changes, {.overwrite = options.redact});
  Step(options, "finish");
  if (written) return backup;
  // After other errors it is not certain what the database has.
  const ErrorCode why = written.error().code;
  const bool is_unchanged = why == ErrorCode::kBusy || why == ErrorCode::kConflict;
  if (!backup.empty() && is_unchanged) TURNLOG_TRY(PosixFileSystem().Remove(backup));
  return std::unexpected(written.error());
}

}  // namespace turnlog
