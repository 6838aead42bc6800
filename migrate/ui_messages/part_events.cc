#include "migrate/ui_messages/part_events.h"

#include <fmt/format.h>

#include <utility>

#include "migrate/records/approval.h"
#include "migrate/records/content_text.h"

namespace turnlog {

Denial DenialOf(std::optional<std::string> reason, bool automatic) {
  return automatic ? DeniedByPolicy(std::move(reason)) : DeniedByUser(std::move(reason));
}

InquiryResponse DecisionOn(const InquiryRequest& asked, bool approved, std::optional<std::string> reason,
                           bool automatic) {
  InquiryResponse answer = ApprovalAnswer(asked, approved, std::move(reason));
  answer.responder = DenialOf({}, automatic).responder;
  return answer;
}

bool IsSaid(const JsonObject& part) {
  const std::string type = part.String("type").value_or("");
  return (type == "text" || type == "reasoning") && IsJsonString(part["text"]);
}

void AddSaid(const JsonObject& part, std::string_view opaque, RecordEvents& events) {
  const bool reasoning = part.String("type").value_or("").ends_with("reasoning");
  Event& event =
      events.Add(ChatResponse{reasoning ? ChatPart::kReasoning : ChatPart::kMessage, part.String("text").value_or("")});
  if (!opaque.empty()) event.metadata = Json::FromTrusted(fmt::format(R"({{"opaque":{}}})", opaque));
  events.Reproduces(Slot::kContent, part["text"]);
  events.Reproduces(Slot::kOpaque, opaque);
}

void AddOutput(ToolCallResponse response, std::string_view output, bool may_be_text, RecordEvents& events) {
  ResultContent result = ReadResultContent(output, may_be_text || IsJsonString(output));
  response.content = std::move(result.content);
  events.Add(std::move(response));
  events.Reproduces(result.slot, result.bytes, result.known);
}

void AddDenied(std::string call, Denial denial, RecordEvents& events) {
  events.Add(ToolCallResponse{
      .id = std::move(call), .content = "The tool call was denied.", .is_error = true, .denied = std::move(denial)});
}

}  // namespace turnlog
