#include "tests/support/name_journal.h"

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// "a/b/" and "a/./b" are "a/b", whether it exists or not.
fs::path Normal(const fs::path& path) {
  fs::path normal = fs::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

bool IsWithin(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

bool TouchesAny(const fs::path& path, const std::vector<fs::path>& folders) {
  return !path.empty() && std::ranges::any_of(folders, [&](const fs::path& folder) { return IsWithin(path, folder); });
}

// A removed folder was empty, so it still exists if anything in it does.
bool HoldsAny(const fs::path& folder, const std::vector<fs::path>& paths) {
  return !folder.empty() && std::ranges::any_of(paths, [&](const fs::path& path) { return IsWithin(path, folder); });
}

}  // namespace

void NameJournal::Created(const fs::path& path) {
  const fs::path to = Normal(path);
  changes_.push_back({.from = {}, .to = to, .kept = {}, .unsynced = {to.parent_path()}});
}

std::error_code NameJournal::Rename(const fs::path& from, const fs::path& to) {
  Change change{.from = Normal(from), .to = Normal(to), .kept = {}, .unsynced = {}};
  std::error_code error;
  if (!fs::exists(change.from, error)) return std::make_error_code(std::errc::no_such_file_or_directory);
  if (fs::exists(change.to, error)) change.kept = PutAside(change.to, error);
  if (!error) fs::rename(change.from, change.to, error);
  if (error) return error;
  change.unsynced = {change.from.parent_path()};
  if (change.to.parent_path() != change.from.parent_path()) change.unsynced.push_back(change.to.parent_path());
  changes_.push_back(std::move(change));
  return {};
}

std::error_code NameJournal::Remove(const fs::path& path) {
  const fs::path from = Normal(path);
  std::error_code error;
  fs::path kept = PutAside(from, error);
  if (error) return error;
  changes_.push_back({.from = from, .to = {}, .kept = std::move(kept), .unsynced = {from.parent_path()}});
  return {};
}

void NameJournal::SyncDirectory(const fs::path& directory) {
  const fs::path synced = Normal(directory);
  for (Change& change : changes_) std::erase(change.unsynced, synced);
  std::erase_if(changes_, [](const Change& change) {
    std::error_code ignored;
    if (change.unsynced.empty() && !change.kept.empty()) fs::remove(change.kept, ignored);
    return change.unsynced.empty();
  });
}

std::error_code NameJournal::Crash(CrashRandom& random, Loss loss) {
  std::vector<fs::path> lost_names;
  std::vector<Change> lost;
  for (Change& change : changes_) {
    const bool depends = TouchesAny(change.from, lost_names) || TouchesAny(change.to, lost_names) ||
                         (change.to.empty() && HoldsAny(change.from, lost_names));
    if (!depends && loss == Loss::kRandom && random() % 2 == 0) continue;
    for (const fs::path& name : {change.from, change.to}) {
      if (!name.empty()) lost_names.push_back(name);
    }
    lost.push_back(std::move(change));
  }
  changes_.clear();
  for (const Change& change : std::views::reverse(lost)) {
    if (const std::error_code error = Undo(change)) return error;
  }
  return {};
}

std::error_code NameJournal::Undo(const Change& change) {
  std::error_code error;
  if (change.from.empty()) {
    fs::remove_all(change.to, error);
    return error;
  }
  if (!change.to.empty()) fs::rename(change.to, change.from, error);
  if (!error && !change.kept.empty()) fs::rename(change.kept, change.to.empty() ? change.from : change.to, error);
  return error;
}

fs::path NameJournal::PutAside(const fs::path& path, std::error_code& error) {
  fs::path kept = aside_ / std::to_string(next_aside_++);
  fs::rename(path, kept, error);
  return kept;
}

}  // namespace turnlog
