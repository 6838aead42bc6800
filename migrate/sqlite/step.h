// One step of a statement about a database that may be damaged.
#pragma once

#include <sqlite3.h>

namespace turnlog {

// sqlite3_step that finds a damaged page damaged each time. SQLite checks the cells of a page (PRAGMA cell_size_check)
// when it loads it; in its cache it takes the memory behind the page for the rest of a row. So no such page stays
// there.
inline int StepChecked(sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  if (code == SQLITE_CORRUPT) sqlite3_db_release_memory(sqlite3_db_handle(statement));
  return code;
}

}  // namespace turnlog
