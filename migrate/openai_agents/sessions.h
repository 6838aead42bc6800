// The sessions in a database of the OpenAI Agents SDK, with their branches.
#pragma once

#include <memory>
#include <vector>

#include "migrate/records/record_source.h"
#include "migrate/sqlite/database.h"

namespace turnlog {

inline constexpr std::string_view kOpenAiAgents = "openai-agents";

// One for each branch of each session; the one that the session began with comes first.
Result<std::vector<RecordFile>> AgentsSessions(Source& source);

// The same of the tables only that have the SDK's usual names.
Result<std::vector<RecordFile>> UsualAgentsSessions(Source& source);

}  // namespace turnlog
