#include "logctl/backup_notes.h"

#include <fmt/format.h>

#include "base/try.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/service/remote_log.h"

namespace turnlog {
namespace {

std::vector<KeptCopy> CopiesIn(std::span<const KnownBackup> backups) {
  std::vector<KeptCopy> copies;
  for (const KnownBackup& backup : backups) {
    copies.push_back(
        {fmt::format("the backup at {} of {} {}", backup.folder, DateOf(backup.time), ClockOf(backup.time)),
         fmt::format("`logctl backup {}` erases them there too", backup.folder)});
  }
  return copies;
}

}  // namespace

void WarnAbout(Messages& messages, std::span<const KnownBackup> backups) { WarnAbout(messages, CopiesIn(backups)); }

void WarnAbout(Messages& messages, std::span<const KeptCopy> copies) {
  for (const KeptCopy& copy : copies) {
    messages.Warn(fmt::format("erased values may still be in {}: {}", copy.place, copy.end));
  }
}

Expected<std::vector<KeptCopy>> FindOtherCopies(Context& context) {
  const std::string location = TURNLOG_TRY(StoreLocation(context));
  if (IsSqlLocation(location)) return TURNLOG_TRY(FindKeptCopies(location));
  if (IsServiceLocation(location)) return std::vector<KeptCopy>();  // they are on record where the service runs
  const auto path = TURNLOG_TRY(StorePath(context));
  return CopiesIn(TURNLOG_TRY(ListBackups(path)));
}

}  // namespace turnlog
