#include "migrate/import/secret_answers.h"

#include "base/try.h"
#include "schema/json/json_scan.h"

namespace turnlog {

bool SecretAnswers::IsSecret(EventKind kind, const InquiryLabel* inquiry) {
  ++events_;
  if (kind == EventKind::kTurnStart) open_.StartTurn();
  if (inquiry == nullptr) return false;
  if (kind == EventKind::kInquiryRequest) {
    open_.Open(inquiry->id, events_, inquiry->secret);
    return inquiry->secret && inquiry->has_default;
  }
  const bool secret = open_.SecretOf(inquiry->id).has_value();
  open_.Close(inquiry->id);
  return secret && inquiry->answered;
}

void RedactSecretAnswer(EventView& event) {
  event.source_text.reset();
  if (auto* request = std::get_if<InquiryRequestView>(&event.body)) {
    request->question.default_value = {};
  } else {
    auto& response = std::get<InquiryResponseView>(event.body);
    response = InquiryResponseView{Outcome::kRedacted, response.id, {}, {}, {}};
  }
}

namespace {

// What the answer or the default says.
std::optional<SecretString> ValueOf(const EventView& event) {
  const auto* request = std::get_if<InquiryRequestView>(&event.body);
  const std::string_view json = request != nullptr ? request->question.default_value.text()
                                                   : std::get<InquiryResponseView>(event.body).answer.text();
  if (!json.starts_with('"')) return std::nullopt;
  return SecretString(UnescapeJson(json));
}

}  // namespace

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
  const std::optional<InquiryLabel> inquiry = item.event.Label().inquiry;
  asks_ |= asks && inquiry && inquiry->secret;
  if (answers->second.IsSecret(kind, inquiry ? &*inquiry : nullptr)) {
    EventView event = item.event.View();
    if (auto value = ValueOf(event)) item.remark().answers.push_back(*std::move(value));
    RedactSecretAnswer(event);
    TURNLOG_TRY(item.Replace(event));
    item.remark().note = AnswerRedacted();
    item.redacted = true;
  }
  if (!answers->second.needed()) conversations_.erase(answers);
  return {};
}

}  // namespace turnlog
