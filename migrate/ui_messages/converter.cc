#include "migrate/ui_messages/converter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "migrate/openai/items.h"
#include "migrate/records/approval.h"
#include "migrate/records/content_text.h"
#include "migrate/records/user_question.h"
#include "migrate/ui_messages/part_events.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

using State = ToolPart::State;

bool IsAutomatic(const ToolPart& part) { return part.approval.IsTrue("isAutomatic"); }

void AddResult(const ToolPart& part, RecordEvents& events) {
  if (part.state == State::kDenied) {
    return AddDenied(part.call, DenialOf(part.approval.String("reason"), IsAutomatic(part)), events);
  }
  const bool is_error = part.state == State::kFailed;
  AddOutput({.id = part.call, .is_error = is_error}, is_error ? part.error : part.output, false, events);
}

bool HasResult(const ToolPart& part) {
  return part.state == State::kDone || part.state == State::kFailed || part.state == State::kDenied;
}

std::optional<InquiryRequest> QuestionOf(const ToolPart& part) {
  return part.approval.fields().empty() ? std::nullopt : AskForApproval(part.call, part.name);
}

void AddAnswer(const ToolPart& part, RecordEvents& events) {
  const auto asked = QuestionOf(part);
  if (!asked) return;
  const std::string_view approved = part.approval["approved"];
  if (approved == "true" || approved == "false") {
    events.Add(DecisionOn(*asked, approved == "true", part.approval.String("reason"), IsAutomatic(part)));
  } else if (HasResult(part)) {
    events.Add(CancelledInquiry(*asked, "unspecified", false));
  }
}

// Of version 4: its calls.
std::vector<std::string_view> PartsOf(const JsonObject& message) {
  std::vector<std::string_view> parts = ElementsOf(message["parts"]);
  return parts.empty() ? ElementsOf(message["toolInvocations"]) : parts;
}

bool IsStreaming(std::string_view text) {
  const JsonObject part = JsonObject::OfValid(text);
  const auto tool = ReadToolPart(part);
  return tool ? tool->state == State::kStreaming : part.String("state") == "streaming";
}

bool IsStepStart(std::string_view part) { return JsonObject::OfValid(part).String("type") == "step-start"; }

// As a chat stores a message before its answer comes.
bool IsBlank(const JsonObject& message) {
  return message.String("content").value_or("").empty() && std::ranges::all_of(PartsOf(message), IsStepStart);
}

}  // namespace

RecordHead UiMessageConverter::Head(const JsonObject& record) const {
  return {.id = record.String("id"), .time = record.Time("createdAt")};
}

bool UiMessageConverter::IsRecord(const JsonObject& object) const {
  const bool has_content = object["parts"].starts_with('[') || !object["content"].empty();
  return has_content && IsJsonString(object["id"]) && IsJsonString(object["role"]);
}

bool UiMessageConverter::IsUnfinished(const JsonObject& record) const {
  return record.String("role") == "assistant" && (IsBlank(record) || std::ranges::any_of(PartsOf(record), IsStreaming));
}

bool UiMessageConverter::BeginUnfinished(const JsonObject& record) {
  for (const std::string_view part : PartsOf(record)) {
    if (IsStreaming(part)) break;
    unfinished_ |= !IsStepStart(part);
  }
  return unfinished_;
}

void UiMessageConverter::Convert(const JsonObject& record, RecordEvents& events) {
  const std::string role = record.String("role").value_or("");
  if (role == "user") return User(record, events);
  if (role == "assistant") return Assistant(record, events);
}

void UiMessageConverter::User(const JsonObject& message, RecordEvents& events) {
  const bool old = ElementsOf(message["parts"]).empty() && !message["content"].empty();
  auto text = ReadContentText(old ? message["content"] : message["parts"]);
  if (!text) return;
  turns_.BeforePrompt(events);
  events.Add(ChatRequest{.content = std::move(text->text), .author = {}, .schema = {}});
  events.Reproduces(Slot::kContent, text->token, text->usual);
}

void UiMessageConverter::Assistant(const JsonObject& message, RecordEvents& events) {
  calls_.clear();
  const bool unfinished = std::exchange(unfinished_, false);
  for (const std::string_view part : PartsOf(message)) {
    if (unfinished && IsStreaming(part)) return AddResults(events);
    Part(part, events);
  }
  AddResults(events);
  const std::string_view content = message["content"];
  if (!ElementsOf(message["parts"]).empty() || !IsJsonString(content) || content == R"("")") return;
  turns_.BeforeOther(events);
  events.Add(ChatResponse{ChatPart::kMessage, UnescapeJson(content)});
  events.Reproduces(Slot::kContent, content);
}

void UiMessageConverter::Part(std::string_view text, RecordEvents& events) {
  const JsonObject part = JsonObject::Parse(text).value_or(JsonObject());
  const std::string type = part.String("type").value_or("");
  auto tool = ReadToolPart(part);
  turns_.BeforeOther(events);
  if (tool && tool->state != State::kStreaming) return Call(*std::move(tool), events);
  AddResults(events);
  const std::string_view provider = part["providerMetadata"];
  if (IsSaid(part)) return AddSaid(part, provider.starts_with('{') ? provider : std::string_view(), events);
  if (type == "step-start") return;
  const std::string lasting = LastingPartOfUiMessage(text);
  events.AddForeign(lasting == text ? text : lasting);
}

void UiMessageConverter::Call(ToolPart part, RecordEvents& events) {
  AddCall(part.call, part.name, part.input, {}, events);
  if (const auto asked = QuestionOf(part)) events.Add(*asked);
  calls_.push_back(std::move(part));
}

// After the calls of a block: what became of their approvals, and then their results.
void UiMessageConverter::AddResults(RecordEvents& events) {
  const std::vector<ToolPart> calls = std::exchange(calls_, {});
  for (const ToolPart& part : calls) AddAnswer(part, events);
  for (const ToolPart& part : calls) {
    if (HasResult(part)) AddResult(part, events);
  }
}

// The rest of it is in the text of its message, which can be revised.
std::string LastingPartOfUiMessage(std::string_view part) {
  const JsonObject object = JsonObject::OfValid(part);
  if (!object.String("type").value_or("").starts_with("data-") || !IsJsonString(object["id"])) return std::string(part);
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("type"), json.Exactly(object["type"]);
  json.Key("id"), json.Exactly(object["id"]);
  json.EndObject();
  return text;
}

}  // namespace turnlog
