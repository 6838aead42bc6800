#include "doctor/copy_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "doctor/real_path.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// Of a file that a link leads to, it is that file.
fs::path Canonical(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? RealPath(path) : real;
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
    const fs::path folder = FolderOf(Canonical(path));
    around_ = around_.empty() ? folder : Shared(around_, folder);
  }
}

fs::path CopyPaths::Of(const fs::path& file) const {
  fs::path name = file.filename();
  if (name.extension() == ".zst") name.replace_extension();
  if (out_.empty()) return file.parent_path() / (name.string() + std::string(kMendedSuffix));
  const fs::path below = RealPath(file).parent_path().lexically_relative(around_);
  if (below.empty() || *below.begin() == "..") return out_ / name;
  return below == "." ? out_ / name : out_ / below / name;
}

void CopyPaths::AddSource(const fs::path& file) { sources_.insert(RealPath(file)); }

Result<fs::path> CopyPaths::Take(const fs::path& file) {
  fs::path copy = Of(file);
  const fs::path source = RealPath(file), real = RealPath(copy);
  const auto refuse = [&](std::string_view whose) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, fmt::format("{} {}: give another folder with --out", copy.string(), whose)});
  };
  if (sources_.contains(real)) return refuse("is a session");
  const std::scoped_lock lock(mutex_);
  const auto [taken, is_new] = taken_.emplace(real, source);
  if (!is_new && taken->second != source) return refuse("is the copy of " + taken->second.string());
  return copy;
}

}  // namespace turnlog
