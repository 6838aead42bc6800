#include "tests/support/shared_data.h"

#include <cstdlib>

#include "tests/support/source_dir.h"

namespace turnlog {

std::optional<std::filesystem::path> FindShared(const std::filesystem::path& name) {
  const char* folder = std::getenv("TURNLOG_SHARED");
  const auto root = folder != nullptr ? std::filesystem::path(folder) : SourceDir().parent_path() / "shared";
  std::error_code ignored;
  if (!std::filesystem::exists(root / name, ignored)) return std::nullopt;
  return root / name;
}

}  // namespace turnlog
