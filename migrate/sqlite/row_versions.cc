#include "migrate/sqlite/row_versions.h"

#include "migrate/sqlite/row_reader.h"

namespace turnlog {

void RowVersions::Add(const Database& database, std::string_view query) {
  auto rows = database.Prepare(query);
  known_ &= rows.has_value() && !database.is_salvaged();
  while (known_) {
    const auto row = rows->Step();
    known_ = row.has_value();
    if (!known_ || !*row) break;
    Hash128& version = versions_[std::string(rows->Text(0))];
    version = HashId(RowAsJson(query, *rows), version.low ^ version.high);
  }
}

Hash128 RowVersions::Of(std::string_view group) const {
  const auto found = versions_.find(group);
  return known_ && found != versions_.end() ? found->second : Hash128();
}

}  // namespace turnlog
