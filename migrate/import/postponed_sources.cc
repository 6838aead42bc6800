#include "migrate/import/postponed_sources.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "migrate/sources/source.h"
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

// What takes long to read is read again less often.
void PostponedSources::Add(const fs::path& path, const Result<FileStamp>& stamp, Clock::duration took) {
  constexpr int kRest = 10;
  const std::scoped_lock lock(mutex_);
  const Clock::duration quiet = std::max<Clock::duration>(kQuiet, kRest * took);
  const fs::path key = NormalizedPath(path);
  due_[key] = Clock::now() + quiet;
  if (stamp && key.extension() == ".jsonl") unfinished_.insert_or_assign(key, Unfinished{*stamp, quiet});
}

bool PostponedSources::IsInSameLine(const fs::path& path) {
  const std::scoped_lock lock(mutex_);
  const auto known = unfinished_.find(NormalizedPath(path));
  if (known == unfinished_.end()) return false;
  if (!due_.contains(known->first) || !GoesOnInLine(path, known->second.seen)) {
    unfinished_.erase(known);
    return false;
  }
  due_[known->first] = Clock::now() + known->second.quiet;
  return true;
}

// Whether the file has grown, but has no further line. `seen` is how far it was looked at.
bool PostponedSources::GoesOnInLine(const fs::path& path, FileStamp& seen) {
  const auto now = StampOf(path, true);
  if (!now || !now->IsSameFile(seen) || now->size <= seen.size) return false;
  std::string bytes(std::size_t{256} << 10, '\0');
  for (SourceFile file(path, true); seen.size < now->size;) {
    const std::size_t read = file.ReadAt(seen.size, bytes).value_or(0);
    if (read == 0 || std::string_view(bytes).substr(0, read).contains('\n')) return false;
    seen.size += read;
  }
  return true;
}

}  // namespace turnlog
