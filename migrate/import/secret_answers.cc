#include "migrate/import/secret_answers.h"

#include "base/try.h"

namespace turnlog {

bool SecretAnswers::Redact(EventView& event) {
  ++events_;
  if (event.kind() == EventKind::kTurnStart) open_.StartTurn();
  if (auto* request = std::get_if<InquiryRequestView>(&event.body)) {
    const bool secret = request->question.answer_type.kind == AnswerKind::kSecret;
    open_.Open(request->id.text, events_, secret);
    if (!secret || request->question.default_value.empty()) return false;
    request->question.default_value = {};
    event.source_text.reset();
    return true;
  }
  auto* response = std::get_if<InquiryResponseView>(&event.body);
  if (response == nullptr) return false;
  const bool secret = open_.SecretOf(response->id.text).has_value();
  open_.Close(response->id.text);
  if (!secret || response->outcome != Outcome::kAnswered) return false;
  *response = InquiryResponseView{Outcome::kRedacted, response->id, {}, {}, {}};
  event.source_text.reset();
  return true;
}

Result<SourceItem> SecretAnswerFilter::Next() {
  Result<SourceItem> item = reader_->Next();
  if (auto* event = item ? std::get_if<SourceEvent>(&*item) : nullptr) TURNLOG_TRY(Redact(*event));
  return item;
}

Status SecretAnswerFilter::Redact(SourceEvent& item) {
  const EventKind kind = item.event.kind;
  const bool asks = kind == EventKind::kInquiryRequest;
  if (!asks && (conversations_.empty() || (kind != EventKind::kInquiryResponse && kind != EventKind::kTurnStart))) {
    return {};
  }
  const Hash128 conversation = HashId(item.conversation, 0);
  auto answers = conversations_.find(conversation);
  if (answers == conversations_.end()) {
    if (!asks) return {};
    answers = conversations_.try_emplace(conversation).first;
  }
  EventView event = item.event.View();
  if (answers->second.Redact(event)) {
    TURNLOG_TRY(item.Replace(event));
    item.remark().note = {ImportProblemCode::kSecretRedacted, "what answers a secret question was redacted"};
    item.redacted = true;
  }
  if (!answers->second.needed()) conversations_.erase(answers);
  return {};
}

}  // namespace turnlog
