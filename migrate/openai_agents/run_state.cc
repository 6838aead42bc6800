#include "migrate/openai_agents/run_state.h"

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "migrate/openai/items.h"
#include "migrate/openai/server_approval.h"
#include "migrate/openai_agents/approvals.h"
#include "migrate/openai_agents/state_names.h"
#include "migrate/records/approval.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

std::vector<std::string_view> ItemsOf(const JsonObject& state) {
  const StateNames& names = NamesOf(state);
  std::vector<std::string_view> items = ElementsOf(state[names.session_items]);
  return items.empty() ? ElementsOf(state[names.generated_items]) : items;
}

bool IsCall(const JsonObject& item) { return item.String("type").value_or("").ends_with("_call"); }

}  // namespace

// Documents of other programs have a field with their version of this name, too.
bool IsRunState(std::string_view head) {
  constexpr std::array kFirstFields{"current_turn",   "currentTurn",   "current_agent",
                                    "original_input", "originalInput", "auto_previous_response_id"};
  const auto has = [&](std::string_view name) { return FindJsonField(head, name).has_value(); };
  return has("$schemaVersion") && std::ranges::any_of(kFirstFields, has);
}

void RunStateConverter::Convert(const JsonObject& state, RecordEvents& events) {
  if (state["$schemaVersion"].empty()) return;
  const std::vector<std::string_view> items = ItemsOf(state);
  const StateNames& names = NamesOf(state);
  for (const std::string_view text : items) {
    const JsonObject item = JsonObject::Parse(text).value_or(JsonObject());
    const auto approval = ReadServerApproval(item.Object(names.raw_item));
    if (approval && !approval->asks) answered_.insert(approval->request);
  }
  Input(state, events);
  for (const std::string_view text : items) {
    Item(JsonObject::Parse(text).value_or(JsonObject()), state, events);
  }
  const JsonObject step = state.Object(names.step).Object("data");
  for (const std::string_view text : ElementsOf(step["interruptions"])) {
    Approval(JsonObject::Parse(text).value_or(JsonObject()), state, events);
  }
  Answers(events);
}

// A text, or items.
void RunStateConverter::Input(const JsonObject& state, RecordEvents& events) {
  const std::string_view input = state[NamesOf(state).input];
  if (IsJsonString(input)) return items_.Prompt({UnescapeJson(input), input}, events);
  for (const std::string_view text : ElementsOf(input)) {
    ApiItem(JsonObject::Parse(text).value_or(JsonObject()), {}, state, events);
    seen_.emplace(text);
  }
}

void RunStateConverter::Item(const JsonObject& item, const JsonObject& state, RecordEvents& events) {
  if (item.String("type") == "tool_approval_item") return Approval(item, state, events);
  const JsonObject raw = item.Object(NamesOf(state).raw_item);
  if (seen_.contains(raw.text()) || raw.fields().empty()) return;
  ApiItem(raw, item.Object("agent"), state, events);
}

// Calls, the result of one, or something else.
void RunStateConverter::ApiItem(const JsonObject& item, const JsonObject& agent, const JsonObject& state,
                                RecordEvents& events) {
  if (!IsCall(item)) Answers(events);
  const std::size_t known = events.events().size();
  items_.Convert(item, events);
  const auto approval = ReadServerApproval(item);
  if (approval && approval->asks) requested_.insert(approval->request);
  for (Event& event : events.events() | std::views::drop(known)) {
    if (const auto* call = std::get_if<ToolCallRequest>(&event.body)) {
      tools_.insert_or_assign(call->id, ReadToolOfRun(item, agent, call->name));
    }
    if (auto* result = std::get_if<ToolCallResponse>(&event.body)) Result(state, *result);
  }
}

void RunStateConverter::Result(const JsonObject& state, ToolCallResponse& result) const {
  const auto tool = tools_.find(result.id);
  RecogniseRejection(tool == tools_.end() ? CallDecision() : ReadCallDecision(state, tool->second, result.id), result);
}

void RunStateConverter::Approval(const JsonObject& item, const JsonObject& state, RecordEvents& events) {
  const StateNames& names = NamesOf(state);
  const JsonObject raw = item.Object(names.raw_item);
  const auto server = ReadServerApproval(raw);
  auto call = server ? server->request : CallIdOf(raw);
  if (!call) call = raw.String("id");
  const auto tool = item[names.tool_name].empty() ? raw.String("name") : item.String(names.tool_name);
  const auto request = call && tool ? AskForApproval(*call, *tool) : std::nullopt;
  if (!request || !asked_.insert(*call).second) return;
  // That of what a server is to run is an item of its own, too.
  if (!requested_.contains(*call)) events.Add(*request);
  // A function has its own name there, and others have that of the item.
  const auto name = raw.String("type") == "function_call" ? raw.String("name") : tool;
  tools_.insert_or_assign(*call, ReadToolOfRun(raw, item.Object("agent"), name.value_or(*tool)));
  const CallDecision decision = ReadCallDecision(state, tools_.at(*call), *call);
  if (!decision.approved || answered_.contains(*call)) return;
  answers_.push_back(ApprovalAnswer(*request, *decision.approved, decision.message));
}

// A run asks for all approvals that it needs before it waits for the first one.
void RunStateConverter::Answers(RecordEvents& events) {
  for (InquiryResponse& answer : std::exchange(answers_, {})) events.Add(std::move(answer));
}

}  // namespace turnlog
