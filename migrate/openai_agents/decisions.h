// Where a RunState has what was decided about the calls of a tool.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrate/records/json_object.h"

namespace turnlog {

struct ToolOfRun {
  std::string name;
  std::string space = {};   // the namespace that has it
  std::string server = {};  // the label of the MCP server that runs it
  std::string agent = {};   // that uses it; empty: not known
};
// `item`: a call, or a request for an approval. `agent`: of the item of the run that has it.
ToolOfRun ReadToolOfRun(const JsonObject& item, const JsonObject& agent, std::string name);

// Objects with `approved` and `rejected`, each of which is a list of calls, or true for all of the tool.
using Decisions = std::vector<JsonObject>;
// The first one that says something of the call counts.
Decisions DecisionsAbout(const JsonObject& state, const ToolOfRun& tool, std::string_view call);

}  // namespace turnlog
