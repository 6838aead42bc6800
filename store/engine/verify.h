// VerifyStore over a given file system.
#pragma once

#include <filesystem>

#include "store/engine/environment.h"
#include "turnlog/maintenance.h"

namespace turnlog {

Result<VerifyReport> VerifyStore(const std::filesystem::path& path, const Progress& progress,
                                 const Environment& environment);

}  // namespace turnlog
