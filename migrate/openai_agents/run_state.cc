#include "migrate/openai_agents/run_state.h"

#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "migrate/openai_agents/approvals.h"
#include "migrate/records/approval.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// What the run did; older versions have only the second list.
std::vector<std::string_view> ItemsOf(const JsonObject& state) {
  std::vector<std::string_view> items = ElementsOf(state["session_items"]);
  return items.empty() ? ElementsOf(state["generated_items"]) : items;
}

bool IsCall(const JsonObject& item) { return item.String("type").value_or("").ends_with("_call"); }

}  // namespace

bool IsRunState(std::string_view head) { return FindJsonField(head, "$schemaVersion").has_value(); }

void RunStateConverter::Convert(const JsonObject& state, RecordEvents& events) {
  if (state["$schemaVersion"].empty()) return;
  const std::vector<std::string_view> items = ItemsOf(state);
  for (const std::string_view text : items) {
    const JsonObject raw = JsonObject::Parse(text).value_or(JsonObject()).Object("raw_item");
    if (auto request = raw.String("approval_request_id")) answered_.insert(*std::move(request));
  }
  Input(state, events);
  for (const std::string_view text : items) {
    Item(JsonObject::Parse(text).value_or(JsonObject()), state, events);
  }
  const JsonObject step = state.Object("current_step").Object("data");
  for (const std::string_view text : ElementsOf(step["interruptions"])) {
    Approval(JsonObject::Parse(text).value_or(JsonObject()), state, events);
  }
  Answers(events);
}

// A text, or items.
void RunStateConverter::Input(const JsonObject& state, RecordEvents& events) {
  const std::string_view input = state["original_input"];
  if (IsJsonString(input)) return items_.Prompt({UnescapeJson(input), input}, events);
  for (const std::string_view text : ElementsOf(input)) {
    ApiItem(JsonObject::Parse(text).value_or(JsonObject()), state, events);
    seen_.emplace(text);
  }
}

void RunStateConverter::Item(const JsonObject& item, const JsonObject& state, RecordEvents& events) {
  if (item.String("type") == "tool_approval_item") return Approval(item, state, events);
  const JsonObject raw = item.Object("raw_item");
  if (seen_.contains(raw.text()) || raw.fields().empty()) return;
  ApiItem(raw, state, events);
}

// Calls, the result of one, or something else.
void RunStateConverter::ApiItem(const JsonObject& item, const JsonObject& state, RecordEvents& events) {
  if (!IsCall(item)) Answers(events);
  const std::size_t known = events.events().size();
  items_.Convert(item, events);
  if (item.String("type") == "mcp_approval_request") requested_.insert(item.String("id").value_or(""));
  for (Event& event : events.events() | std::views::drop(known)) {
    if (const auto* call = std::get_if<ToolCallRequest>(&event.body)) {
      tools_.insert_or_assign(call->id, ReadToolOfRun(item, call->name));
    }
    if (auto* result = std::get_if<ToolCallResponse>(&event.body)) Result(state, *result);
  }
}

void RunStateConverter::Result(const JsonObject& state, ToolCallResponse& result) const {
  const auto tool = tools_.find(result.id);
  RecogniseRejection(tool == tools_.end() ? CallDecision() : ReadCallDecision(state, tool->second, result.id), result);
}

void RunStateConverter::Approval(const JsonObject& item, const JsonObject& state, RecordEvents& events) {
  const JsonObject raw = item.Object("raw_item");
  const auto call = raw["call_id"].empty() ? raw.String("id") : raw.String("call_id");
  const auto tool = item["tool_name"].empty() ? raw.String("name") : item.String("tool_name");
  const auto request = call && tool ? AskForApproval(*call, *tool) : std::nullopt;
  if (!request || !asked_.insert(*call).second) return;
  // That of what a server is to run is an item of its own, too.
  if (!requested_.contains(*call)) events.Add(*request);
  const CallDecision decision = ReadCallDecision(state, ReadToolOfRun(raw, *tool), *call);
  if (!decision.approved || answered_.contains(*call)) return;
  answers_.push_back(ApprovalAnswer(*request, *decision.approved, decision.message));
}

// A run asks for all approvals that it needs before it waits for the first one.
void RunStateConverter::Answers(RecordEvents& events) {
  for (InquiryResponse& answer : std::exchange(answers_, {})) events.Add(std::move(answer));
}

}  // namespace turnlog
