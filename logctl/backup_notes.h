// Backups that may still hold what was destroyed in the store.
#pragma once

#include <span>

#include "logctl/command.h"
#include "turnlog/backup.h"

namespace turnlog {

void WarnOf(Messages& messages, std::span<const KnownBackup> backups);
// After something has been erased or redacted: all backups are older than that.
Expected<void> WarnOfBackups(Context& context);

}  // namespace turnlog
