#include "logctl/backup_notes.h"

#include <fmt/format.h>

#include "base/try.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/sql_log.h"

namespace turnlog {

void WarnAbout(Messages& messages, std::span<const KnownBackup> backups) {
  for (const KnownBackup& backup : backups) {
    messages.Warn(
        fmt::format("the backup at {} of {} {} may still hold erased values; `logctl backup {}` erases them there too",
                    backup.folder, DateOf(backup.time), ClockOf(backup.time), backup.folder));
  }
}

Expected<void> WarnAboutBackups(Context& context) {
  const std::string location = TURNLOG_TRY(StoreLocation(context));
  if (IsSqlLocation(location)) {
    for (const KeptCopy& copy : TURNLOG_TRY(FindKeptCopies(location))) {
      context.messages.Warn(fmt::format("erased values may still be in {}: {}", copy.place, copy.end));
    }
    return {};
  }
  const auto path = TURNLOG_TRY(StorePath(context));
  WarnAbout(context.messages, TURNLOG_TRY(ListBackups(path)));
  return {};
}

}  // namespace turnlog
