#include "migrate/logged/logged_lines.h"

#include "base/try.h"
#include "migrate/logged/imported_events.h"
#include "migrate/logged/logged_records.h"
#include "migrate/logged/stored_events.h"

namespace turnlog {

std::optional<Seq> LoggedLines::NextSeq(std::string_view conversation) {
  const Hash128 key = HashId(conversation, 0);
  if (const Seq* known = next_.Find(key)) return *known;
  const auto id = ConversationId::Parse(conversation);
  if (!id) return std::nullopt;
  const Seq head = heads_.Find(key);
  const auto next = FindNext(*id, head);
  if (!next) status_ = std::unexpected(next.error());
  if (!next || !*next) return std::nullopt;
  next_.TryEmplace(key, **next);
  grown_ += head.value > 0 ? 1 : 0;
  return *next;
}

Result<std::optional<Seq>> LoggedLines::FindNext(const ConversationId& id, Seq head) {
  const Seq last = TURNLOG_TRY(LastSeq(log_, id));
  if (last.value == 0) return head.value == 0 ? std::optional(Seq{1}) : std::nullopt;
  const bool fits = head.value > 0 && TURNLOG_TRY(HasOnlyRepairsSince(log_, id, head));
  return fits ? std::optional(Seq{last.value + 1}) : std::nullopt;
}

bool LoggedLines::IsIndependent(std::string_view conversation, const EventView& event) {
  if (read_) return true;
  const auto id = ConversationId::Parse(conversation);
  if (!id || heads_.Find(HashId(conversation, 0)).value == 0) return true;
  Result<bool> depends = false;
  if (event.event_id) depends = HasEvent(log_, *id, *event.event_id);
  const auto* response = std::get_if<InquiryResponseView>(&event.body);
  if (depends && !*depends && response != nullptr) depends = HasSecretQuestion(*id, response->id);
  if (!depends) status_ = std::unexpected(depends.error());
  return depends && !*depends;
}

Result<bool> LoggedLines::HasSecretQuestion(const ConversationId& id, const InquiryIdView& inquiry) {
  for (const InquiryRecord& attempt : TURNLOG_TRY(log_.FindInquiryRaw(id, inquiry))) {
    if (!attempt.request) continue;
    StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log_, id, *attempt.request));
    const auto event = TURNLOG_TRY(stored.Next());
    const auto* request = event ? std::get_if<InquiryRequestView>(&event->event.body) : nullptr;
    if (request == nullptr || request->question.answer_type.kind == AnswerKind::kSecret) return true;
  }
  return false;
}

}  // namespace turnlog
