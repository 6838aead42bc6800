// Copies outside of the store that may still hold values erased from it.
#pragma once

#include <span>
#include <vector>

#include "logctl/command.h"
#include "turnlog/backup.h"
#include "turnlog/sql_log.h"

namespace turnlog {

void WarnAbout(Messages& messages, std::span<const KnownBackup> backups);
void WarnAbout(Messages& messages, std::span<const KeptCopy> copies);
// Of a store in a folder, all backups on record; of one in a database, what its server keeps. Call it after an erasure
// or redaction: every copy is older.
Expected<std::vector<KeptCopy>> FindOtherCopies(Context& context);

}  // namespace turnlog
