// The tables of a store: made, migrated and checked. docs/sql_engine.md describes them.
#pragma once

#include <cstdint>
#include <string>

#include "base/hash.h"
#include "store/sql/connection.h"

namespace turnlog {

inline constexpr std::uint32_t kSqlSchemaVersion = 2;
// Writers of different lanes never wait for each other. Fixed when a store is made: a tail's position names each lane.
inline constexpr std::uint32_t kSqlLanes = 64;

struct SqlStoreIdentity {
  std::uint32_t version = 0;
  std::uint32_t lanes = 0;
  Hash128 store;

  std::uint64_t salt() const { return store.low ^ store.high; }  // of hashes
  std::string id() const;                                        // 32 hexadecimal digits
};

// kNotFound: there is no store; kUnsupportedVersion: a later turnlog made it, or an earlier one and it was not
// migrated.
Result<SqlStoreIdentity> ReadSqlStoreIdentity(Connection& connection);

// Makes the store if there is none, in one transaction: true if it was made. Leaves one of any version alone.
Result<bool> CreateSqlStore(Connection& connection);
// From an earlier version, in one transaction. kNotFound: there is no store.
Status MigrateSqlStore(Connection& connection);

}  // namespace turnlog
