#include "tests/support/shared_data.h"

#include <cstdlib>

namespace turnlog {

std::optional<std::filesystem::path> FindShared(const std::filesystem::path& name) {
  const char* folder = std::getenv("TURNLOG_SHARED");
  const auto root = folder != nullptr ? std::filesystem::path(folder)
                                      : std::filesystem::path(TURNLOG_SOURCE_DIR).parent_path() / "shared";
  std::error_code ignored;
  if (!std::filesystem::exists(root / name, ignored)) return std::nullopt;
  return root / name;
}

}  // namespace turnlog
