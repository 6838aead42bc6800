#include "migrate/openai_agents/approvals.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "migrate/openai_agents/state_names.h"
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

// Whether what was decided for one call goes before what was decided for all calls of its tool: not in JavaScript's SDK
// before version 1.19.
bool CallsGoFirst(const JsonObject& state) {
  if (!NamesOf(state).is_javascript) return true;
  constexpr std::string_view kMajor = "1.";
  const std::string version = state.String("$schemaVersion").value_or("");
  int minor = 0;
  const std::string_view rest = std::string_view(version).substr(std::min(kMajor.size(), version.size()));
  (void)std::from_chars(rest.data(), rest.data() + rest.size(), minor);
  return minor >= 19;
}

// A rejection of all calls may have a message for one of them, and one for the others.
std::optional<std::string> MessageFor(const JsonObject& decisions, const StateNames& names, std::string_view call) {
  auto message = decisions.Object(names.messages).String(call);
  if (!message && decisions["rejected"] == "true") message = decisions.String(names.message_for_all);
  return message;
}

CallDecision Decide(const JsonObject& state, const JsonObject& decisions, std::string_view call) {
  const StateNames& names = NamesOf(state);
  const bool approves_all = decisions["approved"] == "true", rejects_all = decisions["rejected"] == "true";
  const bool approves = Lists(decisions["approved"], call), rejects = Lists(decisions["rejected"], call);
  CallDecision decision;
  decision.for_this_call = (approves || rejects) && (CallsGoFirst(state) || !(approves_all || rejects_all));
  if (decision.for_this_call) {
    decision.approved = !rejects || (approves && names.is_javascript);
  } else if (approves_all || rejects_all) {
    decision.approved = approves_all;
  }
  if (decision.approved == false) decision.message = MessageFor(decisions, names, call);
  return decision;
}

// Any output of a call that was itself rejected is made of the rejection. Calls of a tool may have run before all of
// them were rejected.
bool IsRejection(const CallDecision& decision, std::string_view output) {
  if (output == kRejected) return true;
  return decision.approved == false && (decision.for_this_call || output == decision.message);
}

}  // namespace

CallDecision ReadCallDecision(const JsonObject& state, const ToolOfRun& tool, std::string_view call) {
  for (const JsonObject& decisions : DecisionsAbout(state, tool, call)) {
    CallDecision decision = Decide(state, decisions, call);
    if (decision.approved) return decision;
  }
  return {};
}

void RecogniseRejection(const CallDecision& decision, ToolCallResponse& result) {
  if (!IsRejection(decision, result.content)) return;
  result.is_error = true;
  result.denied = DeniedByUser(decision.message);
}

}  // namespace turnlog
