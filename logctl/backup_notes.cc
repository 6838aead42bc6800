#include "logctl/backup_notes.h"

#include <fmt/format.h>

#include "base/try.h"
#include "logctl/store_access.h"
#include "logctl/text.h"

namespace turnlog {

void WarnOf(Messages& messages, std::span<const KnownBackup> backups) {
  for (const KnownBackup& backup : backups) {
    messages.Warn(
        fmt::format("the backup at {} of {} {} may still hold erased values; `logctl backup {}` removes them "
                    "there too",
                    backup.folder, DateOf(backup.time), ClockOf(backup.time), backup.folder));
  }
}

Expected<void> WarnOfBackups(Context& context) {
  const auto path = TURNLOG_TRY(StorePath(context));
  WarnOf(context.messages, TURNLOG_TRY(ListBackups(path)));
  return {};
}

}  // namespace turnlog
