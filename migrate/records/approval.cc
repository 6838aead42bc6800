#include "migrate/records/approval.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "migrate/records/user_question.h"

namespace turnlog {

std::optional<InquiryRequest> AskForApproval(std::string_view call, std::string_view tool) {
  auto id = MakeInquiryId(call, "approval", 1);
  if (!id) return std::nullopt;
  InquiryRequest request{.id = *std::move(id), .source = {.kind = SourceKind::kTool, .name = std::string(tool)}};
  request.question.text = fmt::format("Allow {}?", tool);
  request.question.answer_type.kind = AnswerKind::kBoolean;
  return request;
}

InquiryResponse ApprovalAnswer(const InquiryRequest& asked, bool approved, std::optional<std::string> reason) {
  return AnsweredInquiry(asked, Json::FromTrusted(approved ? "true" : "false"), std::move(reason));
}

Denial DeniedByUser(std::optional<std::string> reason) {
  Denial denial{.reason = std::move(reason)};
  denial.responder = Responder{.kind = "user", .model = {}, .who = {}, .via = {}, .extra = {}};
  return denial;
}

Denial DeniedByPolicy(std::optional<std::string> reason, std::optional<std::string> via) {
  Denial denial{.reason = std::move(reason)};
  denial.responder = Responder{.kind = "policy", .model = {}, .who = {}, .via = std::move(via), .extra = {}};
  return denial;
}

}  // namespace turnlog
