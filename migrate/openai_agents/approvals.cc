#include "migrate/openai_agents/approvals.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "migrate/records/approval.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// What the SDK returns for a call that was rejected without a message.
constexpr std::string_view kRejected = "Tool execution was not approved.";

bool Lists(std::string_view calls, std::string_view call) {
  return std::ranges::any_of(ElementsOf(calls), [&](std::string_view element) {
    return IsJsonString(element) && UnescapeJson(element) == call;
  });
}

// The names by which the tool is known there. A tool that is loaded late has its own name as its namespace.
std::vector<std::string> KeysOf(const ToolOfRun& tool) {
  if (!tool.space.empty() && tool.space != tool.name) return {fmt::format("{}.{}", tool.space, tool.name)};
  return {tool.name, fmt::format("deferred_top_level:{}", tool.name), fmt::format("{}.{}", tool.name, tool.name)};
}

// Since version 1.14: about a request for the approval of what a server is to run, or about all of that tool.
JsonObject DecisionsAboutServer(const JsonObject& context, const ToolOfRun& tool, std::string_view call) {
  JsonObject of_tool;
  for (const std::string_view text : ElementsOf(context["hosted_mcp_approvals"])) {
    const JsonObject entry = JsonObject::Parse(text).value_or(JsonObject());
    const JsonObject identity = entry.Object("identity");
    if (identity.String("request_id") == call) return entry.Object("decision");
    const bool is_tool = identity.String("server_label") == tool.server && identity.String("tool_name") == tool.name;
    if (is_tool) of_tool = entry.Object("decision");
  }
  return of_tool;
}

// What was decided about calls of the tool; versions after 1.17 list those of functions.
JsonObject DecisionsAbout(const JsonObject& state, const ToolOfRun& tool, std::string_view call) {
  const JsonObject context = state.Object("context");
  if (!tool.server.empty()) {
    JsonObject decisions = DecisionsAboutServer(context, tool, call);
    if (!decisions.fields().empty()) return decisions;
  }
  for (const std::string& key : KeysOf(tool)) {
    for (const std::string_view text : ElementsOf(context["function_tool_approvals"])) {
      const JsonObject entry = JsonObject::Parse(text).value_or(JsonObject());
      if (entry.String("tool_key") == key) return entry.Object("decision");
    }
    JsonObject decisions = context.Object("approvals").Object(key);
    if (!decisions.fields().empty()) return decisions;
  }
  return {};
}

// A rejection of all calls may have a message for one of them, and one for the others.
std::optional<std::string> MessageFor(const JsonObject& decisions, std::string_view call) {
  auto message = decisions.Object("rejection_messages").String(call);
  if (!message && decisions["rejected"] == "true") message = decisions.String("sticky_rejection_message");
  return message;
}

// Any output of a call that was itself rejected is made of the rejection. Calls of a tool may have run before all of
// them were rejected.
bool IsRejection(const CallDecision& decision, std::string_view output) {
  if (output == kRejected) return true;
  return decision.approved == false && (decision.for_this_call || output == decision.message);
}

}  // namespace

ToolOfRun ReadToolOfRun(const JsonObject& item, std::string name) {
  return {std::move(name), item.String("namespace").value_or(""), item.String("server_label").value_or("")};
}

CallDecision ReadCallDecision(const JsonObject& state, const ToolOfRun& tool, std::string_view call) {
  const JsonObject decisions = DecisionsAbout(state, tool, call);
  const std::string_view approved = decisions["approved"], rejected = decisions["rejected"];
  CallDecision decision;
  decision.for_this_call = Lists(rejected, call) || Lists(approved, call);
  if (Lists(rejected, call) || (!decision.for_this_call && approved != "true" && rejected == "true")) {
    decision.approved = false;
    decision.message = MessageFor(decisions, call);
  } else if (decision.for_this_call || approved == "true") {
    decision.approved = true;
  }
  return decision;
}

void RecogniseRejection(const CallDecision& decision, ToolCallResponse& result) {
  if (!IsRejection(decision, result.content)) return;
  result.is_error = true;
  result.denied = DeniedByUser(decision.message);
}

}  // namespace turnlog
