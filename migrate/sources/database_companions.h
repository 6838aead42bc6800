// The log and the journal of a SQLite database are there only while a program writes it.
#pragma once

#include "migrate/sources/source.h"

namespace turnlog {

// Which of them belong to the database is certain only while its lock is held: what was listed before may be gone, or a
// program may have died since then. Locks the database, and makes the files of the source what they are then. False:
// they are the same, or it is no database.
Result<bool> RefreshCompanions(Source& source);

}  // namespace turnlog
