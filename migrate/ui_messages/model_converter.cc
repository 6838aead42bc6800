#include "migrate/ui_messages/model_converter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "migrate/openai/items.h"
#include "migrate/records/approval.h"
#include "migrate/records/content_text.h"
#include "migrate/records/user_question.h"
#include "migrate/ui_messages/part_events.h"

namespace turnlog {
namespace {

constexpr std::string_view kRefused = "execution-denied";
constexpr std::array<std::string_view, 6> kOutputs{"text", "json", "error-text", "error-json", "content", kRefused};

// What a tool returned: since version 5, a value of a kind.
struct Output {
  std::string kind;  // empty: that of version 4
  std::string_view value;
  std::optional<std::string> reason;  // why the call was refused

  bool is_error() const { return kind.starts_with("error-"); }
};

Output OutputOf(const JsonObject& part) {
  const JsonObject output = part.Object("output");
  std::string kind = output.String("type").value_or("");
  const bool has_value = kind == kRefused || !output["value"].empty();
  if (has_value && std::ranges::find(kOutputs, kind) != kOutputs.end()) {
    return {.kind = std::move(kind), .value = output["value"], .reason = output.String("reason")};
  }
  return {.kind = {}, .value = part[part["output"].empty() ? "result" : "output"], .reason = {}};
}

// What only the provider understands: of version 4, also what Anthropic signs or hides.
std::string_view OpaqueOf(const JsonObject& part) {
  for (const std::string_view options : {"providerOptions", "experimental_providerMetadata"}) {
    if (part[options].starts_with('{')) return part[options];
  }
  return IsJsonString(part["signature"]) ? part["signature"] : std::string_view();
}

}  // namespace

RecordHead ModelMessageConverter::Head(const JsonObject& record) const {
  return {.id = record.String("id"), .time = record.Time("createdAt")};
}

bool ModelMessageConverter::IsRecord(const JsonObject& object) const {
  return IsJsonString(object["role"]) && !object["content"].empty();
}

void ModelMessageConverter::Convert(const JsonObject& record, RecordEvents& events) {
  const std::string role = record.String("role").value_or("");
  if (role == "user") return User(record, events);
  if (role == "assistant" || role == "tool") return Content(record, events);
}

void ModelMessageConverter::User(const JsonObject& message, RecordEvents& events) {
  auto text = ReadContentText(message["content"]);
  if (!text) return;
  turns_.BeforePrompt(events);
  events.Add(ChatRequest{.content = std::move(text->text), .author = {}, .schema = {}});
  events.Reproduces(Slot::kContent, text->token, text->usual);
}

void ModelMessageConverter::Content(const JsonObject& message, RecordEvents& events) {
  const std::string_view content = message["content"];
  if (message.String("role") == "assistant") tools_.clear();
  for (const std::string_view part : ElementsOf(content)) Part(part, events);
  if (!IsJsonString(content) || message.String("role") == "tool") return;
  auto text = ReadContentText(content);
  turns_.BeforeOther(events);
  events.Add(ChatResponse{ChatPart::kMessage, std::move(text->text)});
  events.Reproduces(Slot::kContent, text->token, text->usual);
}

void ModelMessageConverter::Part(std::string_view text, RecordEvents& events) {
  turns_.BeforeOther(events);
  if (!AddPart(JsonObject::OfValid(text), events)) events.AddForeign(text);
}

bool ModelMessageConverter::AddPart(const JsonObject& part, RecordEvents& events) {
  const std::string type = part.String("type").value_or("");
  if (type == "tool-call") return Call(part, events);
  if (type == "tool-result") return Result(part, events);
  if (type == "tool-approval-request") return Ask(part, events);
  if (type == "tool-approval-response") return Answer(part, events);
  if (type == "redacted-reasoning" && IsJsonString(part["data"])) return AddSaid(part, part["data"], events), true;
  if (IsSaid(part)) return AddSaid(part, OpaqueOf(part), events), true;
  return false;
}

bool ModelMessageConverter::Call(const JsonObject& part, RecordEvents& events) {
  const auto call = part.String("toolCallId");
  const auto name = part.String("toolName");
  if (!call || !name) return false;
  tools_.insert_or_assign(*call, *name);
  AddCall(*call, *name, part[part["input"].empty() ? "args" : "input"], {}, events);
  return true;
}

bool ModelMessageConverter::Result(const JsonObject& part, RecordEvents& events) {
  auto call = part.String("toolCallId");
  if (!call) return false;
  std::optional<Denial> denial = EndApproval(*call, events);
  Output output = OutputOf(part);
  if (output.kind == kRefused) {
    if (!denial) denial = DeniedByUser({});
    if (output.reason) denial->reason = std::move(output.reason);
    AddDenied(*std::move(call), *std::move(denial), events);
    return true;
  }
  const bool is_error = output.is_error() || part.IsTrue("isError");
  AddOutput({.id = *std::move(call), .is_error = is_error, .denied = is_error ? std::move(denial) : std::nullopt},
            output.value, output.kind == "content", events);
  return true;
}

bool ModelMessageConverter::Ask(const JsonObject& part, RecordEvents& events) {
  const auto call = part.String("toolCallId");
  const auto id = part.String("approvalId");
  if (!call || !id || approvals_.contains(*call)) return false;
  const auto tool = tools_.find(*call);
  auto asked = AskForApproval(*call, tool == tools_.end() ? "the tool" : tool->second);
  if (!asked) return false;
  events.Add(*asked);
  approvals_.emplace(*call,
                     Approval{.asked = *std::move(asked), .automatic = part.IsTrue("isAutomatic"), .denial = {}});
  approving_.insert_or_assign(*id, *call);
  return true;
}

bool ModelMessageConverter::Answer(const JsonObject& part, RecordEvents& events) {
  const bool approved = part.IsTrue("approved");
  if (!approved && part["approved"] != "false") return false;
  const auto call = approving_.extract(part.String("approvalId").value_or(""));
  const auto found = call ? approvals_.find(call.mapped()) : approvals_.end();
  if (found == approvals_.end()) return false;
  Approval& approval = found->second;
  events.Add(DecisionOn(approval.asked, approved, part.String("reason"), approval.automatic));
  approval.answered = true;
  if (!approved) approval.denial = DenialOf(part.String("reason"), approval.automatic);
  return true;
}

// The call has a result: what was asked about it is over. Why it was refused, if it was.
std::optional<Denial> ModelMessageConverter::EndApproval(const std::string& call, RecordEvents& events) {
  const auto found = approvals_.extract(call);
  if (!found) return std::nullopt;
  Approval& approval = found.mapped();
  if (!approval.answered) events.Add(CancelledInquiry(approval.asked, "unspecified", false));
  return std::move(approval.denial);
}

}  // namespace turnlog
