#include "migrate/openai_agents/run_state.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "migrate/openai_agents/row_converter.h"
#include "migrate/records/approval.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// Whether a decision, true or a list of calls, concerns the call.
bool Concerns(std::string_view decision, std::string_view call) {
  if (decision == "true") return true;
  return std::ranges::any_of(ElementsOf(decision), [&](std::string_view element) {
    return IsJsonString(element) && UnescapeJson(element) == call;
  });
}

struct Decision {
  std::optional<bool> approved;  // nothing: the run waits for it
  std::optional<std::string> message;
};

// What was decided for one call goes before what was decided for all calls of its tool.
Decision DecisionOf(const JsonObject& state, std::string_view tool, std::string_view call) {
  const JsonObject decisions = state.Object("context").Object("approvals").Object(tool);
  const bool rejected = Concerns(decisions["rejected"], call);
  const bool for_this_call = rejected && decisions["rejected"] != "true";
  Decision decision;
  if (for_this_call || (rejected && !Concerns(decisions["approved"], call))) {
    decision.approved = false;
    decision.message = decisions.Object("rejection_messages").String(call);
  } else if (Concerns(decisions["approved"], call)) {
    decision.approved = true;
  }
  return decision;
}

// What the run did; older versions have only the second list.
std::vector<std::string_view> ItemsOf(const JsonObject& state) {
  std::vector<std::string_view> items = ElementsOf(state["session_items"]);
  return items.empty() ? ElementsOf(state["generated_items"]) : items;
}

}  // namespace

bool IsRunState(std::string_view head) { return FindJsonField(head, "$schemaVersion").has_value(); }

void RunStateConverter::Convert(const JsonObject& state, RecordEvents& events) {
  if (state["$schemaVersion"].empty()) return;
  Input(state["original_input"], events);
  for (const std::string_view text : ItemsOf(state)) {
    Item(JsonObject::Parse(text).value_or(JsonObject()), state, events);
  }
  const JsonObject step = state.Object("current_step").Object("data");
  for (const std::string_view text : ElementsOf(step["interruptions"])) {
    Approval(JsonObject::Parse(text).value_or(JsonObject()), state, events);
  }
}

// A text, or items.
void RunStateConverter::Input(std::string_view input, RecordEvents& events) {
  if (IsJsonString(input)) return items_.Prompt({UnescapeJson(input), input}, events);
  for (const std::string_view text : ElementsOf(input)) {
    items_.Convert(JsonObject::Parse(text).value_or(JsonObject()), events);
    seen_.emplace(text);
  }
}

void RunStateConverter::Item(const JsonObject& item, const JsonObject& state, RecordEvents& events) {
  if (item.String("type") == "tool_approval_item") return Approval(item, state, events);
  const JsonObject raw = item.Object("raw_item");
  if (seen_.contains(raw.text()) || raw.fields().empty()) return;
  items_.Convert(raw, events);
  RecogniseRejection(events);
}

void RunStateConverter::Approval(const JsonObject& item, const JsonObject& state, RecordEvents& events) {
  const JsonObject raw = item.Object("raw_item");
  const auto call = raw["call_id"].empty() ? raw.String("id") : raw.String("call_id");
  const auto tool = item["tool_name"].empty() ? raw.String("name") : item.String("tool_name");
  const auto request = call && tool ? AskForApproval(*call, *tool) : std::nullopt;
  if (!request || !asked_.insert(*call).second) return;
  events.Add(*request);
  const Decision decision = DecisionOf(state, *tool, *call);
  if (decision.approved) events.Add(ApprovalAnswer(*request, *decision.approved, decision.message));
}

}  // namespace turnlog
