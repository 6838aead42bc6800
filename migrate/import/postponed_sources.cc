#include "migrate/import/postponed_sources.h"

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>

#include "base/try.h"
#include "migrate/sources/source_owners.h"

namespace turnlog {

namespace fs = std::filesystem;

std::optional<PostponedSources::Clock::time_point> PostponedSources::NextDue() const {
  const std::scoped_lock lock(mutex_);
  if (due_.empty()) return std::nullopt;
  return std::ranges::min_element(due_, {}, &Due::value_type::second)->second;
}

std::vector<fs::path> PostponedSources::TakeDue(bool all) {
  const std::scoped_lock lock(mutex_);
  std::vector<fs::path> taken;
  std::erase_if(due_, [&](const Due::value_type& due) {
    const bool is_due = all || due.second <= Clock::now();
    if (is_due) taken.push_back(due.first);
    return is_due;
  });
  return taken;
}

PostponedSources::Stamps PostponedSources::StampsOf(const Source& source) {
  std::vector<FileStamp> stamps;
  for (const SourceFile& file : source.files) stamps.push_back(TURNLOG_TRY(StampOf(file.path(), true)));
  return stamps;
}

// What takes long to read is read again less often.
void PostponedSources::Add(const Source& source, const Stamps& stamps, Clock::duration took) {
  constexpr int kRest = 10;
  const std::scoped_lock lock(mutex_);
  const Clock::duration quiet = std::max<Clock::duration>(kQuiet, kRest * took);
  const fs::path key = NormalizedPath(source.path);
  due_[key] = Clock::now() + quiet;
  if (stamps && key.extension() == ".jsonl") unfinished_.insert_or_assign(key, Unfinished{*stamps, quiet});
}

bool PostponedSources::IsInSameLine(const Source& source, std::uint64_t& bytes_read) {
  const std::scoped_lock lock(mutex_);
  const auto known = unfinished_.find(NormalizedPath(source.path));
  if (known == unfinished_.end()) return false;
  std::vector<FileStamp>& seen = known->second.seen;
  const std::uint64_t size = seen.front().size;
  if (!due_.contains(known->first) || !HasSameOthers(source, seen) ||
      !GoesOnInLine(source.path, seen.front(), bytes_read)) {
    unfinished_.erase(known);
    return false;
  }
  if (seen.front().size > size) due_[known->first] = Clock::now() + known->second.quiet;
  return true;
}

bool PostponedSources::HasSameOthers(const Source& source, const std::vector<FileStamp>& seen) {
  const Stamps now = StampsOf(source);
  const auto is_same = [](const FileStamp& one, const FileStamp& other) {
    return one.IsSameFile(other) && one.size == other.size && one.modified == other.modified &&
           one.changed == other.changed;
  };
  return now && std::ranges::equal(*now | std::views::drop(1), seen | std::views::drop(1), is_same);
}

// Whether the file has no further line. `seen` is how far it was looked at, which may be beyond the change that is
// told.
bool PostponedSources::GoesOnInLine(const fs::path& path, FileStamp& seen, std::uint64_t& bytes_read) {
  const auto now = StampOf(path, true);
  if (!now || !now->IsSameFile(seen) || now->size < seen.size) return false;
  std::string bytes(std::size_t{256} << 10, '\0');
  for (SourceFile file(path, true); seen.size < now->size;) {
    const std::size_t read = file.ReadAt(seen.size, bytes).value_or(0);
    bytes_read += read;
    if (read == 0 || std::string_view(bytes).substr(0, read).contains('\n')) return false;
    seen.size += read;
  }
  return true;
}

}  // namespace turnlog
