#include "migrate/secret_answers.h"

#include "schema/open_inquiries.h"

namespace turnlog {
namespace {

void Redact(InquiryResponse& response, Event& event) {
  response = InquiryResponse{Outcome::kRedacted, std::move(response.id), {}, {}, {}};
  event.source_text.reset();
}

}  // namespace

std::vector<std::size_t> RedactSecretAnswers(std::span<Event> events) {
  std::vector<std::size_t> redacted;
  OpenInquiries open;
  for (std::size_t i = 0; i < events.size(); ++i) {
    Event& event = events[i];
    if (event.kind() == EventKind::kTurnStart) open.StartTurn();
    if (const auto* request = std::get_if<InquiryRequest>(&event.body)) {
      open.Open(request->id.text, i, request->question.answer_type.kind == AnswerKind::kSecret);
    }
    if (auto* response = std::get_if<InquiryResponse>(&event.body)) {
      const bool secret = open.SecretOf(response->id.text).has_value();
      open.Close(response->id.text);
      if (!secret || response->outcome != Outcome::kAnswered) continue;
      Redact(*response, event);
      redacted.push_back(i);
    }
  }
  return redacted;
}

}  // namespace turnlog
