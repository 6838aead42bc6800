// Verifying a store on files that need not be the system's.
#pragma once

#include <filesystem>

#include "store/engine/environment.h"
#include "turnlog/maintenance.h"

namespace turnlog {

Result<VerifyReport> VerifyStore(const std::filesystem::path& path, const Progress& progress,
                                 const Environment& environment);

}  // namespace turnlog
