#include "logctl/backup_notes.h"

#include <fmt/format.h>

#include "base/try.h"
#include "logctl/store_access.h"
#include "logctl/text.h"

namespace turnlog {

void WarnAbout(Messages& messages, std::span<const KnownBackup> backups) {
  for (const KnownBackup& backup : backups) {
    messages.Warn(
        fmt::format("the backup at {} of {} {} may still hold erased values; `logctl backup {}` erases them there too",
                    backup.folder, DateOf(backup.time), ClockOf(backup.time), backup.folder));
  }
}

Expected<void> WarnAboutBackups(Context& context) {
  const auto path = TURNLOG_TRY(StorePath(context));
  WarnAbout(context.messages, TURNLOG_TRY(ListBackups(path)));
  return {};
}

}  // namespace turnlog
