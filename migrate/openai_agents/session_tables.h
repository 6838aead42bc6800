// The tables with the sessions of the OpenAI Agents SDK in a database. Programs may give them names of their own.
#pragma once

#include <string>
#include <vector>

#include "migrate/sqlite/database.h"
#include "turnlog/result.h"

namespace turnlog {

struct SessionTables {
  std::string messages;
  std::string sessions;       // empty: there is none
  bool has_branches = false;  // in message_structure
  bool has_usage = false;     // in turn_usage
};

// In the order in which they were made. kInvalidArgument: there are none, or which of the others belong to them is not
// clear.
Result<std::vector<SessionTables>> FindSessionTables(const Database& database);
// Those whose names are the SDK's usual ones.
Result<std::vector<SessionTables>> FindUsualSessionTables(const Database& database);

}  // namespace turnlog
