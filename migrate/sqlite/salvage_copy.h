// Copies what can be read of a damaged SQLite database into another one.
#pragma once

struct sqlite3;

namespace turnlog {

// The tables, with indexes by ids. Rows that cannot be read are passed over: of a table with rowids only those on the
// damaged pages, of others all after the first one. REQUIRES: `damaged` was opened with writable_schema, which lets
// SQLite read a database that has lost its last pages.
void CopyReadable(sqlite3* damaged, sqlite3* to);

}  // namespace turnlog
