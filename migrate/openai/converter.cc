#include "migrate/openai/converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
  auto text = ReadContentText(content, IsThinkingPart);
  if (!text || text->text.empty()) return;
  events.Add(ChatResponse{part, std::move(text->text)});
  events.Reproduces(Slot::kContent, text->token, text->usual);
}

// Servers name it differently.
std::string_view ReasoningOf(const JsonObject& message) {
  const std::string_view content = message["reasoning_content"];
  return IsJsonString(content) ? content : message["reasoning"];
}

void AddChatReasoning(const JsonObject& message, RecordEvents& events) {
  AddText(ChatPart::kReasoning, ReasoningOf(message), events);
  for (const std::string_view text : ElementsOf(message["content"])) {
    const JsonObject part = JsonObject::OfValid(text);
    if (IsThinkingPart(part)) AddText(ChatPart::kReasoning, part["thinking"], events);
  }
}

}  // namespace

bool IsThinkingPart(const JsonObject& part) {
  return part.String("type") == "thinking" && part["thinking"].starts_with('[');
}

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
  const std::string_view spoken = message.Object("audio")["transcript"];
  const std::array texts{message["content"], message["refusal"], spoken};
  const bool has_text =
      texts[0].starts_with('[') || std::ranges::any_of(texts, IsJsonString) || IsJsonString(ReasoningOf(message));
  const JsonObject function = message.Object("function_call");
  if (!has_text && calls.empty() && function.fields().empty()) return;
  turns_.BeforeOther(events);
  AddChatReasoning(message, events);
  for (const std::string_view text : texts) AddText(ChatPart::kMessage, text, events);
  for (const std::string_view call : calls) AddChatCall(call, events);
  FunctionCall(function, events);
}

void OpenAiConverter::Result(const JsonObject& message, RecordEvents& events) {
  if (auto call = message.String("tool_call_id")) AddResult(*std::move(call), message["content"], events);
}

// Before there were tools, a model called one function at a time, and its result followed: neither has an id.
void OpenAiConverter::FunctionCall(const JsonObject& function, RecordEvents& events) {
  const auto name = function.String("name");
  if (!name) return;
  awaits_function_ = true;
  AddCall(FunctionId(++functions_), *name, function["arguments"], {}, events);
}

void OpenAiConverter::FunctionResult(const JsonObject& message, RecordEvents& events) {
  if (std::exchange(awaits_function_, false)) AddResult(FunctionId(functions_), message["content"], events);
}

void OpenAiConverter::AddResult(std::string call, std::string_view content, RecordEvents& events) {
  ResultContent result = ReadResultContent(content == "null" ? std::string_view() : content, true);
  turns_.BeforeOther(events);
  events.Add(
      ToolCallResponse{.id = std::move(call), .content = std::move(result.content), .is_error = false, .denied = {}});
  events.Reproduces(result.slot, result.bytes, result.known);
}

}  // namespace turnlog
