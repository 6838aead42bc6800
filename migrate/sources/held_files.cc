#include "migrate/sources/held_files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

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

// Whether the path leads nowhere, or to another file.
bool IsGone(const FileStamp& held, const fs::path& path) {
  const auto now = StampOf(path, false);
  return !now || !held.IsSameFile(*now);
}

bool HasChanged(const FileStamp& held, const Descriptor& file) {
  const auto info = file.Stat();
  if (!info || !held.settled) return true;
  const FileStamp now = StampOf(*info);
  return now.size != held.size || now.modified != held.modified;
}

// The log or journal of a database, which is a part of the file that it is named after: alone it says nothing, and its
// program removes it when that file has all of it.
bool IsPartOf(std::string_view main, std::string_view name) {
  return name.size() > main.size() && name.starts_with(main) && name[main.size()] == '-';
}

std::shared_ptr<Descriptor> OpenFile(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
  return fd < 0 ? nullptr : std::make_shared<Descriptor>(fd, path);
}

// A source may have very many files in folders.
SourceFile NotHeld(const std::string& name, const fs::path& path) {
  SourceFile file(name, path);
  file.CloseAfterReads(name.contains('/'));
  return file;
}

}  // namespace

HeldFiles::HeldFiles() : HeldFiles(MostFiles()) {}

std::optional<Source> HeldFiles::TakeLost(const Source& now) {
  const auto known = files_of_.find(now.path);
  if (known == files_of_.end()) return std::nullopt;
  const FileName& main = known->second.front();
  Source before{now.path, now.name, now.folder, {}};
  bool lost = false, without_main = false;
  for (const auto& [name, path] : known->second) {
    const auto found = held_.find(path);
    if (found == held_.end()) {
      if (IsThere(path)) before.files.push_back(NotHeld(name, path));
      continue;
    }
    const auto& [file, stamp] = found->second;
    before.files.emplace_back(name, file);
    const bool gone = IsGone(stamp, path);
    without_main |= gone && path == main.path;
    lost |= (without_main || (gone && !IsPartOf(main.name, name))) && HasChanged(stamp, *file);
    if (gone) LetGo(path);
  }
  if (!lost || before.files.front().path() != main.path) return std::nullopt;
  return before;
}

// Those that are held are not looked up again: one that is replaced just now is read once more before the other one.
bool HeldFiles::Hold(Source& source) {
  bool complete = true;
  const std::vector<FileName> before = std::exchange(files_of_[source.path], {});
  std::set<fs::path> paths;
  for (const SourceFile& file : source.files) {
    files_of_[source.path].push_back({file.name(), file.path()});
    paths.insert(file.path());
    HoldFile(file.path());
  }
  for (SourceFile& file : source.files) {
    const auto held = held_.find(file.path());
    if (held != held_.end()) {
      file = SourceFile(file.name(), held->second.file);
      continue;
    }
    complete &= IsThere(file.path());
    if (file.name().contains('/')) file.CloseAfterReads(true);
  }
  for (const FileName& file : before) {
    if (!paths.contains(file.path)) LetGo(file.path);
  }
  if (source.files.empty()) files_of_.erase(source.path);
  return complete;
}

void HeldFiles::HoldFile(const fs::path& path) {
  const auto found = held_.find(path);
  std::shared_ptr<Descriptor> file = found == held_.end() ? nullptr : found->second.file;
  LetGo(path);
  struct stat info = {};
  if (!file && (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))) return;
  if (!file && !MakeRoom(StampOf(info).changed)) return;
  if (!file) file = OpenFile(path);
  const auto now = file ? file->Stat() : std::unexpected(Error());
  if (!now) return;
  const FileStamp stamp = StampOf(*now);
  by_change_.emplace(stamp.changed, path);
  held_.emplace(path, Held{std::move(file), stamp});
}

// For a file that was changed at this time.
bool HeldFiles::MakeRoom(std::int64_t changed) {
  if (held_.size() < most_) return true;
  if (by_change_.empty() || by_change_.begin()->first > changed) return false;
  LetGo(fs::path(by_change_.begin()->second));
  return true;
}

void HeldFiles::LetGo(const fs::path& path) {
  const auto held = held_.find(path);
  if (held == held_.end()) return;
  by_change_.erase({held->second.stamp.changed, path});
  held_.erase(held);
}

}  // namespace turnlog
