#include "logctl/inquiry_closing.h"

#include "base/try.h"
#include "logctl/inquiry_text.h"

namespace turnlog {

Expected<std::optional<InquiryClosing>> FindClosing(Log& log, const ConversationId& conversation,
                                                    const InquiryIdView& id, Seq request) {
  if (TURNLOG_TRY(log.Repairs(conversation)).empty()) return std::nullopt;
  const auto cursor = TURNLOG_TRY(log.Read(conversation, {.from = request}));
  std::optional<Turn> turn;
  for (;;) {
    const Item item = TURNLOG_TRY(cursor->Next());
    if (std::holds_alternative<EndOfLog>(item)) return std::nullopt;
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) continue;
    if (record->turn != turn.value_or(record->turn)) return std::nullopt;
    turn = record->turn;
    const bool again = record->kind == EventKind::kInquiryRequest && record->seq != request;
    if (!again && !(record->inserted && record->kind == EventKind::kInquiryResponse)) continue;
    const EventView event = TURNLOG_TRY(record->Decode());
    if (again && std::get<InquiryRequestView>(event.body).id.text == id.text) return std::nullopt;
    const auto* response = std::get_if<InquiryResponseView>(&event.body);
    if (response != nullptr && response->id.text == id.text)
      return InquiryClosing{Own(event), std::string(record->rule)};
  }
}

Expected<bool> IsShown(Log& log, const ConversationId& conversation, Seq seq) {
  const auto cursor = TURNLOG_TRY(log.Read(conversation, {.from = seq, .limit = 1}));
  const Item item = TURNLOG_TRY(cursor->Next());
  const auto* record = std::get_if<Record>(&item);
  if (record == nullptr) return std::holds_alternative<Damage>(item);
  return record->seq == seq && record->rule.empty();
}

}  // namespace turnlog
