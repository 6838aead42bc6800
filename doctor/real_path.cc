#include "doctor/real_path.h"

#include <algorithm>
#include <system_error>

namespace turnlog {
namespace {

namespace fs = std::filesystem;

fs::path WithoutSlash(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() || !normal.has_relative_path() ? normal : normal.parent_path();
}

}  // namespace

fs::path NormalPath(const fs::path& path) {
  return std::ranges::find(path, "..") == path.end() ? WithoutSlash(path) : RealPath(path);
}

fs::path RealPath(const fs::path& path) {
  std::error_code error;
  fs::path full = fs::absolute(path, error);
  if (!full.has_filename()) full = full.parent_path();
  const fs::path name = full.filename();
  const bool is_name = name != "." && name != "..";
  const fs::path real = fs::weakly_canonical(is_name ? full.parent_path() : full, error);
  if (error) return WithoutSlash(full);
  return is_name ? real / name : real;
}

}  // namespace turnlog
