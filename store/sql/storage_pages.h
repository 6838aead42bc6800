// What the database keeps in its files: all of it for a visitor, and nothing of erased events.
#pragma once

#include "store/sql/connection_pool.h"
#include "turnlog/log.h"

namespace turnlog {

// Shows the pages of all tables, indexes and TOAST relations of the store, as far as the role may read the server's
// files, and the contents of all rows, which TOAST may store in pieces.
Status VisitPages(ConnectionPool& pool, const StorageScan& scan, StorageVisitor& visitor);

// After an erasure: rewrites the tables with payloads, so that no old version is left in them, and asks the server to
// recycle its write-ahead log. What the role or the server does not allow stays undone; then VisitPages reports it.
// Cost: the tables, which it locks meanwhile; nothing if nothing was erased.
Status PurgeErased(ConnectionPool& pool);

}  // namespace turnlog
