#include "migrate/openai/converter.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "migrate/openai/items.h"
#include "migrate/records/approval.h"
#include "migrate/records/content_text.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// A call of a chat message.
void AddChatCall(std::string_view text, RecordEvents& events) {
  const JsonObject call = JsonObject::OfValid(text);
  const bool custom = call["function"].empty();
  const JsonObject function = call.Object(custom ? "custom" : "function");
  const auto id = call.String("id");
  const auto name = function.String("name");
  if (!id || !name) return events.AddForeign(text);
  AddCall(*id, *name, function[custom ? "input" : "arguments"], {}, events);
}

std::string FunctionId(std::size_t number) { return fmt::format("function_call_{}", number); }

void AddText(ChatPart part, std::string_view content, RecordEvents& events) {
  auto text = ReadContentText(content);
  if (!text || text->text.empty()) return;
  events.Add(ChatResponse{part, std::move(text->text)});
  events.Reproduces(Slot::kContent, text->token, text->usual);
}

}  // namespace

bool OpenAiConverter::IsRecord(const JsonObject& object) const {
  const bool calls = !object["tool_calls"].empty() || !object["function_call"].empty();
  const bool message = IsJsonString(object["role"]) && (!object["content"].empty() || calls);
  const bool choice = IsJsonString(object.Object("message")["role"]) && !object["finish_reason"].empty();
  return message || choice || IsModelItem(object) || IsCompactionItem(object) || ReadItemOutput(object).has_value();
}

void OpenAiConverter::Convert(const JsonObject& record, RecordEvents& events) {
  const std::string role = record.String("role").value_or("");
  if (role.empty() && record["message"].starts_with('{')) return Choice(record.Object("message"), events);
  if (role == "tool") return Result(record, events);
  if (role == "function") return FunctionResult(record, events);
  if (const auto approval = ReadServerApproval(record)) return Approval(*approval, events);
  if (role == "assistant" && record["type"].empty()) return Assistant(record, events);
  if (IsUserItem(record)) return Prompt(*ReadContentText(record["content"]), events);
  if (auto output = ReadItemOutput(record)) {
    turns_.BeforeOther(events);
    events.Add(std::move(output->response)).metadata = std::move(output->metadata);
    return events.Reproduces(output->slot, output->bytes, output->known);
  }
  if (IsCompactionItem(record)) return Compacted(record, events);
  if (!IsModelItem(record)) return;
  turns_.BeforeOther(events);
  AddModelItem(record, events);
}

void OpenAiConverter::Prompt(ContentText text, RecordEvents& events) {
  turns_.BeforePrompt(events);
  events.Add(ChatRequest{.content = std::move(text.text), .author = {}, .schema = {}});
  events.Reproduces(Slot::kContent, text.token, text.usual);
}

// Of what was said before there may be nothing here.
void OpenAiConverter::Compacted(const JsonObject& item, RecordEvents& events) {
  if (turns_.turns() == 0) return;
  AddCompactionItem(item, turns_.turns() - 1, events);
  turns_.End();
}

void OpenAiConverter::Approval(const ServerApproval& approval, RecordEvents& events) {
  const auto request = AskForApproval(approval.request, approval.tool.value_or("the tool"));
  if (!request) return;
  turns_.BeforeOther(events);
  if (approval.asks) {
    events.Add(*request);
  } else {
    events.Add(ApprovalAnswer(*request, approval.approved, approval.reason));
  }
}

void OpenAiConverter::Choice(const JsonObject& message, RecordEvents& events) {
  if (message.String("role") == "assistant") Assistant(message, events);
}

void OpenAiConverter::Assistant(const JsonObject& message, RecordEvents& events) {
  const std::vector<std::string_view> calls = ElementsOf(message["tool_calls"]);
  const std::string_view content = message["content"];
  const std::string_view refusal = message["refusal"];
  const bool has_content = IsJsonString(content) || content.starts_with('[');
  if (!has_content && message["function_call"].starts_with('{')) {
    return FunctionCall(message.Object("function_call"), events);
  }
  if (calls.empty() && !has_content && !IsJsonString(refusal)) return;
  turns_.BeforeOther(events);
  const std::string_view reasoning = message["reasoning_content"];
  AddText(ChatPart::kReasoning, IsJsonString(reasoning) ? reasoning : message["reasoning"], events);
  AddText(ChatPart::kMessage, content, events);
  AddText(ChatPart::kMessage, refusal, events);
  for (const std::string_view call : calls) AddChatCall(call, events);
}

void OpenAiConverter::Result(const JsonObject& message, RecordEvents& events) {
  auto call = message.String("tool_call_id");
  auto text = ReadContentText(message["content"]);
  if (!call || !text) return;
  AddResult(*std::move(call), *std::move(text), events);
}

// Before there were tools, a model called one function at a time, and its result followed: neither has an id.
void OpenAiConverter::FunctionCall(const JsonObject& function, RecordEvents& events) {
  const auto name = function.String("name");
  if (!name) return;
  turns_.BeforeOther(events);
  awaits_function_ = true;
  AddCall(FunctionId(++functions_), *name, function["arguments"], {}, events);
}

void OpenAiConverter::FunctionResult(const JsonObject& message, RecordEvents& events) {
  auto text = ReadContentText(message["content"]);
  if (!text || !std::exchange(awaits_function_, false)) return;
  AddResult(FunctionId(functions_), *std::move(text), events);
}

void OpenAiConverter::AddResult(std::string call, ContentText text, RecordEvents& events) {
  turns_.BeforeOther(events);
  events.Add(ToolCallResponse{.id = std::move(call), .content = std::move(text.text), .is_error = false, .denied = {}});
  events.Reproduces(Slot::kContent, text.token, text.usual);
}

}  // namespace turnlog
