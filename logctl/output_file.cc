#include "logctl/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace turnlog {

namespace fs = std::filesystem;

std::optional<fs::path> FindOutputFile() {
  struct stat info{};
  if (::fstat(STDOUT_FILENO, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/fd/1", error);
  return error ? std::nullopt : std::optional(std::move(path));
}

bool Holds(const fs::path& path, const fs::path& file) {
  std::error_code error;
  if (fs::equivalent(path, file, error)) return true;
  const fs::path whole = fs::canonical(path, error);
  const auto [end, rest] = std::ranges::mismatch(whole, file);
  return !error && end == whole.end() && fs::is_directory(whole, error);
}

}  // namespace turnlog
