#include "migrate/sources/database_companions.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/try.h"
#include "migrate/sources/database_lock.h"
#include "migrate/sqlite/database.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// Of the regular file that has the name now.
std::optional<FileStamp> StampNow(const fs::path& path) {
  const auto stamp = StampOf(path, false);
  return stamp && TypeOf(path) == fs::file_type::regular ? std::optional(*stamp) : std::nullopt;
}

bool IsTheSame(const SourceFile& file, const std::optional<FileStamp>& now) {
  const auto stamp = file.Stamp();
  return stamp && *stamp && now && (*stamp)->IsSameFile(*now);
}

bool Refresh(Source& source, std::string_view suffix, bool ignored) {
  const std::string name = source.files.front().name() + std::string(suffix);
  const fs::path path = source.files.front().path().native() + std::string(suffix);
  const auto now = ignored ? std::nullopt : StampNow(path);
  const SourceFile* const listed = source.Find(name);
  if (listed != nullptr ? IsTheSame(*listed, now) : !now) return false;
  std::erase_if(source.files, [&](const SourceFile& file) { return file.name() == name; });
  if (now) source.files.emplace_back(name, path);
  return true;
}

}  // namespace

Result<bool> RefreshCompanions(Source& source) {
  SourceFile& database = source.files.front();
  const std::string head = TURNLOG_TRY(database.Head(kSqliteMagic.size()));
  if (head != kSqliteMagic || !database.HasItsName()) return false;
  // The journal of a program that is at work says what the database was before; it is so while the lock is held.
  const bool journal = Refresh(source, "-journal", HasWriter(database.path()));
  return Refresh(source, "-wal", false) || journal;
}

}  // namespace turnlog
