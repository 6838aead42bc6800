#include "turnlog/inquiry/rejection.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "inquiry/safe_text.h"
#include "turnlog/inquiry/cancellation.h"

namespace turnlog {
namespace {

constexpr std::size_t kQuestionLimit = 200;
constexpr std::size_t kReasonLimit = 1000;

// Never so that the model that reads it takes itself for the one.
std::string Who(const std::optional<Responder>& responder) {
  if (!responder) return "an unknown responder";
  const auto named = [](std::string who, const std::optional<std::string>& name) {
    return name ? fmt::format("{} ({})", who, SafeLine(*name, kQuestionLimit)) : who;
  };
  if (responder->kind == "user") return named("the user", responder->who);
  if (responder->kind == "assistant") return named("the assistant that was asked", responder->model);
  if (responder->kind == "static") return "the configuration";
  if (responder->kind == "remembered") return "an answer given earlier in this turn";
  if (responder->kind == "policy") return "the policy for when no user is present";
  return SafeLine(responder->kind, kQuestionLimit);
}

std::string_view WhatCanBeDone(const std::optional<Responder>& responder) {
  if (!responder) return "";
  if (responder->kind == "user" || responder->kind == "remembered") {
    return " Respect this: do what the user wants instead, or ask what that is.";
  }
  if (responder->kind == "assistant") return " Answer its objection before you try again, or ask the user.";
  if (responder->kind == "static" || responder->kind == "policy") {
    return " Trying again changes nothing: go on without it, or tell the user what to configure.";
  }
  return "";
}

std::string_view WhatCanBeDone(std::string_view reason) {
  if (reason == cancellation::kUser) return " Go on without the answer.";
  if (reason == cancellation::kNoPromptBackend || reason == cancellation::kAssistantDenied) {
    return " It needs a user, and none is present: go on without it, or tell what is missing.";
  }
  if (reason == cancellation::kInvalidStaticAnswer) return " Tell the user that the configured answer does not fit.";
  return "";
}

std::string Because(const std::optional<std::string>& reason) {
  return reason && !reason->empty() ? " Reason: " + SafeLine(*reason, kReasonLimit) : "";
}

// Empty if the answer was not no.
std::string Explain(const InquiryState& inquiry) {
  if (!inquiry.response) return {};
  const InquiryResponse& response = *inquiry.response;
  const std::string question = SafeLine(inquiry.request.question.text, kQuestionLimit);
  if (response.outcome == Outcome::kCancelled) {
    return fmt::format("The question \"{}\" got no answer ({}).{}", question,
                       SafeLine(*response.reason, kQuestionLimit), WhatCanBeDone(*response.reason));
  }
  if (response.outcome != Outcome::kAnswered) return {};
  if (!IsRejection(inquiry.request.question.answer_type, response.answer)) return {};
  return fmt::format("The question \"{}\" was answered with no by {}.{}{}", question, Who(response.responder),
                     Because(response.reason), WhatCanBeDone(response.responder));
}

// The last attempt of each question of the tool itself, in the order in which they were asked first.
std::vector<const InquiryState*> LastAttempts(std::span<const InquiryState* const> inquiries) {
  std::vector<const InquiryState*> last;
  std::map<std::string_view, std::size_t> indexes;
  for (const InquiryState* inquiry : inquiries) {
    if (!inquiry->request.id.key || inquiry->request.source.kind != SourceKind::kTool) continue;
    const auto [index, first] = indexes.try_emplace(inquiry->request.id.key->question, last.size());
    if (first) last.push_back(inquiry);
    last[index->second] = inquiry;
  }
  return last;
}

}  // namespace

bool IsRejection(const AnswerType& type, const Json& answer) {
  return type.kind == AnswerKind::kBoolean && answer.text() == "false";
}

std::string ExplainToolError(std::string_view content, std::span<const InquiryState* const> inquiries) {
  std::string explained(content);
  for (const InquiryState* inquiry : LastAttempts(inquiries)) {
    const std::string line = Explain(*inquiry);
    if (!line.empty()) explained.append(explained.empty() ? "" : "\n\n").append(line);
  }
  return explained;
}

}  // namespace turnlog
