#include "doctor/write_database.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "doctor/copy_mark.h"
#include "doctor/leftover_secrets.h"
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

Status BackUp(const DatabaseWrite& wanted, const Database& database, const fs::path& backup) {
  PendingFile file = TURNLOG_TRY(PendingFile::Create(backup));
  TURNLOG_TRY(database.CopyTo(file.temporary(), false));
  TURNLOG_TRY(file.Complete(wanted.seen));
  return file.Rename();
}

// What the rows were before, and what earlier changes have left.
Status Clean(const DatabaseWrite& wanted, const fs::path& path, std::string& note) {
  LeftoverSecrets search(*wanted.secrets, wanted.changes);
  const RemovedLeftovers removed = TURNLOG_TRY(RemoveLeftovers(path, search));
  if (removed.left > 0) {
    note = fmt::format("rebuilt, but {} presumed secrets are still in its pages and in no row", removed.left);
  } else if (removed.found > 0) {
    note = "presumed secrets that were in no row were removed from its free pages or its log";
  }
  return {};
}

void CleanReplaced(const DatabaseWrite& wanted, WrittenRows& written) {
  const Status cleaned = Clean(wanted, wanted.path, written.note);
  if (cleaned) return;
  written.problem = cleaned.error();
  written.problem->message.insert(0, "its free pages and its log may still have old contents: ");
}

// It is not certain what the database has, unless SQLite refused the changes.
Error FailedWrite(Error error, const fs::path& backup) {
  if (backup.empty()) return error;
  if (error.code != ErrorCode::kBusy && error.code != ErrorCode::kConflict) {
    error.message += fmt::format(" (what it was before is in {})", backup.string());
  } else if (const Status removed = PosixFileSystem().Remove(backup); !removed) {
    return removed.error();
  }
  return error;
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

Result<WrittenRows> WriteDatabaseCopy(const DatabaseWrite& wanted, const Database& database, const fs::path& copy) {
  TURNLOG_TRY(CheckCopy(wanted.path, copy));
  std::error_code ignored;
  for (const std::string_view end : kDatabaseLogs) {
    const fs::path log = copy.string() + std::string(end);
    if (!fs::exists(fs::symlink_status(log, ignored))) continue;
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, fmt::format("the copy would get the log {}", log.string())});
  }
  if (copy.has_parent_path()) fs::create_directories(copy.parent_path(), ignored);
  PendingFile file = TURNLOG_TRY(PendingFile::Create(copy));
  TURNLOG_TRY(database.CopyTo(file.temporary(), wanted.is_damaged));
  TURNLOG_TRY(WriteRowChanges(file.temporary(), wanted.changes, {.overwrite = wanted.options.redact}));
  WrittenRows written{.path = copy};
  if (wanted.options.redact) TURNLOG_TRY(Clean(wanted, file.temporary(), written.note));
  TURNLOG_TRY(file.Complete(wanted.seen));
  MarkCopy(file.temporary());
  TURNLOG_TRY(file.Rename());
  return written;
}

Result<WrittenRows> ReplaceRows(const DatabaseWrite& wanted, OpenDatabase& open) {
  const DoctorOptions& options = wanted.options;
  if (wanted.is_damaged) return Refuse("a damaged database: give --out");
  // The log may be beside another name.
  if (wanted.seen.st_nlink > 1) return Refuse("it has further names: give --out");
  Step(options, "open");
  TURNLOG_TRY(CheckIdle(wanted.path, options.idle_seconds));
  Step(options, "backup");
  WrittenRows written{.path = wanted.path, .backup = options.redact ? fs::path() : NewBackupName(wanted.path)};
  if (!written.backup.empty()) {
    TURNLOG_TRY(BackUp(wanted, *open.database, written.backup));
  }
  Step(options, "write");
  open.Close();
  Status done = CheckIdle(wanted.path, options.idle_seconds);
  if (done) done = WriteRowChanges(wanted.path, wanted.changes, {.overwrite = options.redact});
  if (!done) return std::unexpected(FailedWrite(done.error(), written.backup));
  if (options.redact) Step(options, "clean");
  if (options.redact) CleanReplaced(wanted, written);
  Step(options, "finish");
  return written;
}

}  // namespace turnlog
