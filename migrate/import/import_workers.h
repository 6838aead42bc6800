// Imports sources on several threads. Sources of the same conversation never run at once.
#pragma once

#include <functional>
#include <vector>

#include "migrate/sources/find_sources.h"
#include "turnlog/migrate/import.h"

namespace turnlog {

class ImportRun;
class SecretSearch;

// Imports one source and adds what became of it to the report of the run. Several threads call it.
using ImportFoundFn = std::function<Status(ImportRun& run, FoundSource& found)>;
Status ImportFound(ImportRun& run, FoundSource& found);

// Each source on up to `threads` threads, of which each has its part of the memory limits. The reports of the sources
// are added to `report` in their order. `secrets`: as in ImportRun. `progress`: called on this thread. Everything is
// durable when it returns. `import`: what is done with each.
Status ImportSources(Log& log, std::vector<FoundSource>& sources, unsigned threads, const SecretSearch* secrets,
                     const std::function<void(std::uint64_t done, std::uint64_t total)>& progress, ImportReport& report,
                     const ImportFoundFn& import = ImportFound);

}  // namespace turnlog
