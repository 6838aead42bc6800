// What waits for an answer, as readers see it: a repair may have closed an inquiry, dropped it, or dropped its answer.
// Only conversations with something pending in the log are looked at, so that a store of a million conversations is
// not.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/try.h"
#include "turnlog/event_walk.h"
#include "turnlog/log.h"
#include "turnlog/turn_state.h"

namespace turnlog {
namespace {

// What waits in the last turn of the view.
Result<std::vector<PendingInquiry>> PendingInView(Log& log, const ConversationId& conversation) {
  TurnState state;
  Turn turn;
  const auto cursor = TURNLOG_TRY(log.Read(conversation, {.last_turns = 1}));
  TURNLOG_TRY(WalkEvents(*cursor, [&](const Record& record, const EventView& event) {
    turn = record.turn;
    state.Apply(record.seq, event);
    return Result<Walk>(Walk::kOn);
  }));
  std::vector<PendingInquiry> pending;
  for (const InquiryState* inquiry : state.questions()) pending.push_back({conversation.text(), turn, inquiry->asked});
  return pending;
}

// What is pending in one conversation. `raw`: the same of the log; not empty.
Result<std::vector<PendingInquiry>> PendingAfterRepairs(Log& log, std::span<const PendingInquiry> raw) {
  std::vector<PendingInquiry> appended(raw.begin(), raw.end());
  const auto id = TURNLOG_TRY(ConversationId::Parse(raw.front().conversation));
  if (TURNLOG_TRY(log.Repairs(id)).empty()) return appended;
  auto pending = PendingInView(log, id);
  // What was appended is known even if events are damaged, and one conversation must not hide all others.
  if (!pending && pending.error().code == ErrorCode::kCorruption) return appended;
  return pending;
}

}  // namespace

Result<std::vector<PendingInquiry>> Log::Pending(const std::optional<ConversationId>& conversation) {
  const std::vector<PendingInquiry> raw = TURNLOG_TRY(PendingRaw(conversation));
  std::vector<PendingInquiry> pending;
  for (auto first = raw.begin(); first != raw.end();) {
    const auto next =
        std::find_if(first, raw.end(), [&](const auto& each) { return each.conversation != first->conversation; });
    std::ranges::move(TURNLOG_TRY(PendingAfterRepairs(*this, {first, next})), std::back_inserter(pending));
    first = next;
  }
  return pending;
}

// Two answers of one moment: an inquiry that is closed between them is not one that a repair has closed.
Result<std::vector<InquiryRecord>> Log::FindInquiry(const ConversationId& conversation, const InquiryIdView& id) {
  std::vector<InquiryRecord> records = TURNLOG_TRY(FindInquiryRaw(conversation, id));
  std::vector<PendingInquiry> pending;
  while (std::ranges::any_of(records, &InquiryRecord::pending)) {
    pending = TURNLOG_TRY(Pending(conversation));
    std::vector<InquiryRecord> again = TURNLOG_TRY(FindInquiryRaw(conversation, id));
    const bool same = std::ranges::equal(records, again, {}, &InquiryRecord::pending, &InquiryRecord::pending);
    records = std::move(again);
    if (same) break;
  }
  for (InquiryRecord& record : records) {
    const auto is_it = [&](const PendingInquiry& each) { return each.request == record.request; };
    record.pending = record.pending && std::ranges::any_of(pending, is_it);
  }
  return records;
}

}  // namespace turnlog
