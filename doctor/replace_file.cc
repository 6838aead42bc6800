#include "doctor/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <thread>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "doctor/late_bytes.h"
#include "doctor/open_files.h"
#include "doctor/pending_file.h"
#include "migrate/sources/descriptor.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

Error Busy(std::string why) { return {ErrorCode::kBusy, std::move(why)}; }

bool IsUnchanged(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_size == other.st_size &&
         one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
}

class FileReplacement {
 public:
  explicit FileReplacement(const ReplaceRequest& wanted) : wanted_(wanted) {}

  Result<ReplaceOutcome> Run() {
    Step("open");
    TURNLOG_TRY(CheckUnused());
    Step("write");
    PendingFile file = TURNLOG_TRY(PendingFile::Create(wanted_.path));
    TURNLOG_TRY(wanted_.contents([&](std::string_view bytes) { return file.Append(bytes); }));
    TURNLOG_TRY(file.Complete(wanted_.seen));
    Step("backup");
    const fs::path backup = TURNLOG_TRY(MakeBackup());
    Step("check");
    if (const Status unused = CheckUnused(); !unused) {
      TURNLOG_TRY(PosixFileSystem().Remove(backup));
      return std::unexpected(unused.error());
    }
    Step("rename");
    const Status renamed = file.Rename();
    if (!renamed && !file.has_name()) return std::unexpected(renamed.error());
    Step("replaced");
    ReplaceOutcome outcome{.backup = backup};
    if (const Status done = renamed ? Finish(outcome) : renamed; !done) outcome.problem = done.error();
    if (outcome.problem) outcome.problem->message.insert(0, "replaced, but ");
    return outcome;
  }

 private:
  void Step(std::string_view step) const {
    if (wanted_.on_step) wanted_.on_step(step);
  }

  Status CheckUnused() const {
    struct stat now = {};
    if (::lstat(wanted_.path.c_str(), &now) != 0) return FileError("look at", wanted_.path, errno);
    if (!IsUnchanged(now, wanted_.seen)) return std::unexpected(Busy("it was changed meanwhile"));
    auto why = WhyBusy(now, wanted_.idle_seconds);
    return why ? std::unexpected(Busy(*std::move(why))) : Status();
  }

  Result<fs::path> MakeBackup() const {
    const auto size = static_cast<std::uint64_t>(wanted_.seen.st_size);
    const BackupUse use = wanted_.keep_backup ? BackupUse::kKept : BackupUse::kUnredacted;
    TURNLOG_TRY(RemoveUnusedLinks(wanted_.path, wanted_.seen.st_ino, use));
    for (unsigned number = 1;; ++number) {
      fs::path backup = BackupName(wanted_.path, size, number, use);
      if (::link(wanted_.path.c_str(), backup.c_str()) == 0) break;
      if (errno != EEXIST) return FileError("link", backup, errno);
      struct stat info = {};
      // A killed run may have made it already.
      if (::lstat(backup.c_str(), &info) == 0 && info.st_ino == wanted_.seen.st_ino) return backup;
    }
    TURNLOG_TRY(PosixFileSystem().SyncDirectory(wanted_.path.parent_path()));
    return LatestBackup(wanted_.path, wanted_.seen.st_ino);
  }

  // A process that opened the file before it was replaced appends to the backup.
  Status Finish(ReplaceOutcome& outcome) const {
    constexpr std::chrono::milliseconds kPause(10);
    std::optional<int> process = FindProcessWith(wanted_.seen);
    for (std::chrono::milliseconds waited(0); process && waited < wanted_.patience; waited += kPause) {
      std::this_thread::sleep_for(kPause);
      process = FindProcessWith(wanted_.seen);
    }
    if (process) outcome.problem = Busy(fmt::format("process {} still writes to the old file", *process));
    outcome.carried_over = TURNLOG_TRY(CarryOver(wanted_.path, wanted_.on_step));
    outcome.backup = TURNLOG_TRY(LatestBackup(wanted_.path, wanted_.seen.st_ino));
    const bool is_late = TURNLOG_TRY(HasGrown(outcome.backup)) && !TakesLateBytes(wanted_.path);
    if (is_late && !process) outcome.problem = Busy("something was appended to the old file");
    Step("finish");
    if (wanted_.keep_backup || process || is_late) return {};
    TURNLOG_TRY(PosixFileSystem().Remove(outcome.backup));
    outcome.backup.clear();
    return {};
  }

  Result<bool> HasGrown(const fs::path& backup) const {
    struct stat now = {};
    if (::lstat(backup.c_str(), &now) != 0) return FileError("look at", backup, errno);
    return now.st_size > wanted_.seen.st_size;
  }

  const ReplaceRequest& wanted_;
};

}  // namespace

Result<ReplaceOutcome> ReplaceFile(const ReplaceRequest& replacement) { return FileReplacement(replacement).Run(); }

}  // namespace turnlog
