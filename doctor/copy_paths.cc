#include "doctor/copy_paths.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "turnlog/doctor/doctor.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// Without a final slash.
fs::path Normal(const fs::path& path) {
  std::error_code ignored;
  const fs::path normal = fs::absolute(path, ignored).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

fs::path FolderOf(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? path : path.parent_path();
}

// What both begin with.
fs::path Shared(const fs::path& one, const fs::path& other) {
  fs::path shared;
  const auto [end, ignored] = std::ranges::mismatch(one, other);
  for (auto each = one.begin(); each != end; ++each) shared /= *each;
  return shared;
}

}  // namespace

CopyPaths::CopyPaths(std::span<const fs::path> paths, fs::path out) : out_(std::move(out)) {
  for (const fs::path& path : paths) {
    const fs::path folder = FolderOf(Normal(path));
    around_ = around_.empty() ? folder : Shared(around_, folder);
  }
}

fs::path CopyPaths::Of(const fs::path& file) const {
  fs::path name = file.filename();
  if (name.extension() == ".zst") name.replace_extension();
  if (out_.empty()) return file.parent_path() / (name.string() + std::string(kMendedSuffix));
  const fs::path below = Normal(file).parent_path().lexically_relative(around_);
  if (below.empty() || *below.begin() == "..") return out_ / name;
  return below == "." ? out_ / name : out_ / below / name;
}

}  // namespace turnlog
