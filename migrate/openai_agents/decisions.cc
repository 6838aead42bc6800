#include "migrate/openai_agents/decisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "migrate/openai/server_approval.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

// The names by which the tool is known there. A tool that is loaded late has its own name as its namespace.
std::vector<std::string> KeysOf(const ToolOfRun& tool) {
  if (!tool.space.empty() && tool.space != tool.name) return {fmt::format("{}.{}", tool.space, tool.name)};
  return {tool.name, fmt::format("deferred_top_level:{}", tool.name), fmt::format("{}.{}", tool.name, tool.name)};
}

// As JavaScript's SDK writes it.
std::string ListOf(std::initializer_list<std::string_view> names) {
  std::string text;
  JsonWriter json(text);
  json.StartArray();
  for (const std::string_view name : names) json.String(name);
  json.EndArray();
  return text;
}

// The names where that has lists of them.
std::vector<std::string> ListedKeysOf(const ToolOfRun& tool) {
  if (!tool.server.empty()) return {ListOf({"hosted_mcp", tool.server, tool.name})};
  if (!tool.space.empty() && tool.space != tool.name) return {ListOf({"namespaced", tool.space, tool.name})};
  return {ListOf({"bare", tool.name}), ListOf({"deferred_top_level", tool.name})};
}

void AddNamed(const JsonObject& by_name, const std::vector<std::string>& keys, Decisions& decisions) {
  for (const std::string& key : keys) {
    JsonObject found = by_name.Object(key);
    if (!found.fields().empty()) decisions.push_back(std::move(found));
  }
}

// Since version 1.14 of Python's: about a request for the approval of what a server is to run, or about all of that
// tool.
void AddOfServer(const JsonObject& context, const ToolOfRun& tool, std::string_view call, Decisions& decisions) {
  JsonObject of_tool;
  for (const std::string_view text : ElementsOf(context["hosted_mcp_approvals"])) {
    const JsonObject entry = JsonObject::Parse(text).value_or(JsonObject());
    const JsonObject identity = entry.Object("identity");
    if (identity.String("request_id") == call) return decisions.push_back(entry.Object("decision"));
    const bool is_tool = identity.String("server_label") == tool.server && identity.String("tool_name") == tool.name;
    if (is_tool) of_tool = entry.Object("decision");
  }
  decisions.push_back(of_tool);
}

// Versions of Python's after 1.17 list those of functions, and JavaScript's since 1.16 those of each agent.
void AddOfFunctions(const JsonObject& context, const ToolOfRun& tool, Decisions& decisions) {
  const std::vector<std::string> keys = KeysOf(tool);
  for (const std::string_view text : ElementsOf(context["function_tool_approvals"])) {
    const JsonObject entry = JsonObject::Parse(text).value_or(JsonObject());
    if (std::ranges::find(keys, entry.String("tool_key")) != keys.end()) decisions.push_back(entry.Object("decision"));
  }
  for (const std::string_view text : ElementsOf(context["functionApprovals"])) {
    const JsonObject entry = JsonObject::Parse(text).value_or(JsonObject());
    const bool of_another = !tool.agent.empty() && entry.String("agentIdentity") != tool.agent;
    if (!of_another) AddNamed(entry.Object("approvals"), ListedKeysOf(tool), decisions);
  }
}

}  // namespace

ToolOfRun ReadToolOfRun(const JsonObject& item, const JsonObject& agent, std::string name) {
  const auto approval = ReadServerApproval(item);
  auto identity = agent.String("identity");
  if (!identity) identity = agent.String("name");
  return {.name = std::move(name),
          .space = item.String("namespace").value_or(""),
          .server = approval ? approval->server.value_or("") : "",
          .agent = identity.value_or("")};
}

Decisions DecisionsAbout(const JsonObject& state, const ToolOfRun& tool, std::string_view call) {
  const JsonObject context = state.Object("context");
  Decisions decisions;
  if (!tool.server.empty()) {
    AddOfServer(context, tool, call, decisions);
    AddNamed(context.Object("hostedMcpApprovals"), ListedKeysOf(tool), decisions);
  }
  AddOfFunctions(context, tool, decisions);
  for (const std::string_view field : {"legacyFunctionApprovals", "approvals"}) {
    AddNamed(context.Object(field), KeysOf(tool), decisions);
  }
  return decisions;
}

}  // namespace turnlog
