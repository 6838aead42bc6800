// What waits for an answer, as readers see it: a repair may have closed an inquiry, dropped it, or dropped its answer.
// Only conversations with something pending in the log are looked at, so that a store of a million conversations is
// not.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/try.h"
#include "turnlog/load_turn_state.h"
#include "turnlog/log.h"

namespace turnlog {
namespace {

// What is pending in one conversation. `raw`: the same of the log; not empty.
Result<std::vector<PendingInquiry>> PendingInView(Log& log, std::span<const PendingInquiry> raw) {
  std::vector<PendingInquiry> pending(raw.begin(), raw.end());
  const auto id = TURNLOG_TRY(ConversationId::Parse(raw.front().conversation));
  if (TURNLOG_TRY(log.Repairs(id)).empty()) return pending;
  const auto state = LoadTurnState(log, id);
  // What was appended is known even if events are damaged, and one conversation must not hide all others.
  if (!state && state.error().code == ErrorCode::kCorruption) return pending;
  if (!state) return std::unexpected(state.error());
  pending.clear();
  for (const InquiryState* inquiry : state->questions()) {
    pending.push_back({id.text(), raw.front().turn, inquiry->asked});
  }
  return pending;
}

}  // namespace

Result<std::vector<PendingInquiry>> Log::Pending(const std::optional<ConversationId>& conversation) {
  const std::vector<PendingInquiry> raw = TURNLOG_TRY(PendingRaw(conversation));
  std::vector<PendingInquiry> pending;
  for (auto first = raw.begin(); first != raw.end();) {
    const auto next =
        std::find_if(first, raw.end(), [&](const auto& each) { return each.conversation != first->conversation; });
    std::ranges::move(TURNLOG_TRY(PendingInView(*this, {first, next})), std::back_inserter(pending));
    first = next;
  }
  return pending;
}

Result<std::vector<InquiryRecord>> Log::FindInquiry(const ConversationId& conversation, const InquiryIdView& id) {
  std::vector<InquiryRecord> records = TURNLOG_TRY(FindInquiryRaw(conversation, id));
  if (std::ranges::none_of(records, &InquiryRecord::pending)) return records;
  const std::vector<PendingInquiry> pending = TURNLOG_TRY(Pending(conversation));
  for (InquiryRecord& record : records) {
    const auto is_it = [&](const PendingInquiry& each) { return each.request == record.request; };
    record.pending = record.pending && std::ranges::any_of(pending, is_it);
  }
  return records;
}

}  // namespace turnlog
