#include "migrate/import/held_files.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// What the process needs besides.
constexpr std::size_t kReservedFiles = 256;

std::size_t MostFiles() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return limit.rlim_cur > 2 * kReservedFiles ? limit.rlim_cur - kReservedFiles : limit.rlim_cur / 2;
}

bool IsSame(const Descriptor& open, const fs::path& path) {
  const auto info = open.Stat();
  const auto now = StampOf(path, false);
  return info && now && StampOf(*info).IsSameFile(*now);
}

}  // namespace

void HeldFiles::Hold(Source& source) {
  static const std::size_t most = MostFiles();
  for (SourceFile& file : source.files) {
    const fs::path path = file.path();
    auto held = open_.find(path);
    if (held == open_.end() && open_.size() >= most) continue;
    if (held == open_.end() || !IsSame(*held->second, path)) {
      const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
      if (fd >= 0) held = open_.insert_or_assign(path, std::make_shared<Descriptor>(fd, path)).first;
    }
    if (held != open_.end()) file = SourceFile(file.name(), held->second);
  }
}

void HeldFiles::AddRemoved(Source& source, const fs::path& main, const fs::path& companions) {
  for (auto held = open_.begin(); held != open_.end();) {
    const fs::path& path = held->first;
    const fs::path below = path.lexically_relative(companions);
    const bool is_main = path == main;
    const bool is_companion = !companions.empty() && !below.empty() && *below.begin() != "..";
    std::error_code ignored;
    if ((!is_main && !is_companion) || fs::exists(fs::symlink_status(path, ignored))) {
      ++held;
      continue;
    }
    if (std::ranges::find(source.files, path, &SourceFile::path) != source.files.end()) {
      held = open_.erase(held);  // removed since the source was listed
      continue;
    }
    SourceFile file(is_main ? path.filename().string() : below.string(), held->second);
    const auto first = source.files.begin() + (is_main || source.files.empty() ? 0 : 1);
    const auto at =
        is_main ? first : std::ranges::lower_bound(first, source.files.end(), file.name(), {}, &SourceFile::name);
    source.files.insert(at, std::move(file));
    held = open_.erase(held);
  }
}

}  // namespace turnlog
