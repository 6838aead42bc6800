// A matcher for problems and notes of an import.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>

#include "turnlog/migrate/import.h"

namespace turnlog {

MATCHER_P2(IsProblem, file, code, "") { return arg.file == std::filesystem::path(file).string() && arg.code == code; }

}  // namespace turnlog
