#include "migrate/openai_agents/approvals.h"

#include <algorithm>

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

// What was decided about calls of the tool; versions after 1.17 list those of functions.
JsonObject DecisionsAbout(const JsonObject& state, std::string_view tool) {
  const JsonObject context = state.Object("context");
  for (const std::string_view text : ElementsOf(context["function_tool_approvals"])) {
    const JsonObject entry = JsonObject::Parse(text).value_or(JsonObject());
    if (entry.String("tool_key") == tool) return entry.Object("decision");
  }
  return context.Object("approvals").Object(tool);
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

CallDecision ReadCallDecision(const JsonObject& state, std::string_view tool, std::string_view call) {
  const JsonObject decisions = DecisionsAbout(state, tool);
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
