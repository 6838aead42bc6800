// The tables with the sessions of the OpenAI Agents SDK in a database. Programs may give them names of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrate/sqlite/database.h"
#include "turnlog/result.h"

namespace turnlog {

// The SDK's name of the table with the messages.
inline constexpr std::string_view kUsualMessages = "agent_messages";

struct SessionTables {
  std::string messages;
  std::string sessions;       // empty: there is none, or it is not clear which one it is
  bool has_branches = false;  // in message_structure
  bool has_usage = false;     // in turn_usage
};

// In the order in which they were made. kInvalidArgument: there are none.
Result<std::vector<SessionTables>> FindSessionTables(const Database& database);
// Those whose names are the SDK's usual ones.
Result<std::vector<SessionTables>> FindUsualSessionTables(const Database& database);

}  // namespace turnlog
