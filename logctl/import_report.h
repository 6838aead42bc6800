#pragma once

#include "logctl/command.h"
#include "turnlog/migrate/import.h"

namespace turnlog {

// What an import has done, as text or JSON.
void PrintImportReport(Context& context, const ImportReport& report, SecretDetection detection);

}  // namespace turnlog
