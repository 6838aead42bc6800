// Shows which groups of a database's rows, such as sessions, may have changed, without reading what is in the rows.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "migrate/sqlite/database.h"

namespace turnlog {

class RowVersions {
 public:
  // Adds the rows of a query: the first column names the group, and the version depends on all others and their order.
  // If the query fails, or the database lacks rows because it is damaged, all versions are unknown.
  void Add(const Database& database, std::string_view query);
  // Zero: unknown.
  Hash128 Of(std::string_view group) const;

 private:
  bool known_ = true;
  std::map<std::string, Hash128, std::less<>> versions_;
};

}  // namespace turnlog
