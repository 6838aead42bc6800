#include "turnlog/inquiry/rejection.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "inquiry/safe_text.h"

namespace turnlog {
namespace {

constexpr std::size_t kQuestionLimit = 200, kReasonLimit = 1000;

std::string Who(const std::optional<Responder>& responder) {
  if (!responder) return "somebody";
  if (responder->kind == "static") return "the configuration";
  if (responder->kind == "remembered") return "an answer given earlier in this turn";
  if (responder->kind == "policy") return "the policy for when nobody is there";
  const std::string model = responder->model ? fmt::format(" ({})", SafeLine(*responder->model, kQuestionLimit)) : "";
  return fmt::format("the {}{}", SafeLine(responder->kind, kQuestionLimit), model);
}

std::string Because(const std::optional<std::string>& reason) {
  return reason && !reason->empty() ? " Reason: " + SafeLine(*reason, kReasonLimit) : "";
}

// Empty if nobody said no.
std::string Explain(const InquiryState& exchange) {
  if (!exchange.response) return {};
  const InquiryResponse& response = *exchange.response;
  const std::string question = SafeLine(exchange.request.question.text, kQuestionLimit);
  if (response.outcome == Outcome::kCancelled) {
    return fmt::format("The question \"{}\" got no answer ({}).", question, SafeLine(*response.reason, kQuestionLimit));
  }
  if (response.outcome != Outcome::kAnswered) return {};
  if (!IsRejection(exchange.request.question.answer_type, response.answer)) return {};
  return fmt::format("The question \"{}\" was answered with no by {}.{}", question, Who(response.responder),
                     Because(response.reason));
}

// The last attempt of each question of the tool itself, in the order in which they were asked first.
std::vector<const InquiryState*> LastAttempts(std::span<const InquiryState* const> inquiries) {
  std::vector<const InquiryState*> last;
  std::map<std::string_view, std::size_t> places;
  for (const InquiryState* exchange : inquiries) {
    if (!exchange->request.id.key || exchange->request.source.kind != SourceKind::kTool) continue;
    const auto [place, first] = places.try_emplace(exchange->request.id.key->question, last.size());
    if (first) last.push_back(exchange);
    last[place->second] = exchange;
  }
  return last;
}

}  // namespace

bool IsRejection(const AnswerType& type, const Json& answer) {
  return type.kind == AnswerKind::kBoolean && answer.text() == "false";
}

Question EscalatedQuestion(const Question& question, std::string_view reason) {
  Question escalated = question;
  escalated.text =
      fmt::format("The assistant recommended to say no:\n\"{}\"\n\n{}", SafeLine(reason, kReasonLimit), question.text);
  return escalated;
}

std::string ExplainToolError(std::string_view content, std::span<const InquiryState* const> inquiries) {
  std::string explained(content);
  for (const InquiryState* exchange : LastAttempts(inquiries)) {
    const std::string line = Explain(*exchange);
    if (!line.empty()) explained.append(explained.empty() ? "" : "\n\n").append(line);
  }
  return explained;
}

}  // namespace turnlog
