// Warnings about backups that may still hold values erased from the store.
#pragma once

#include <span>

#include "logctl/command.h"
#include "turnlog/backup.h"

namespace turnlog {

void WarnAbout(Messages& messages, std::span<const KnownBackup> backups);
// For all backups on record. Call it after an erasure or redaction: every backup is older.
Expected<void> WarnAboutBackups(Context& context);

}  // namespace turnlog
