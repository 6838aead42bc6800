// A record whose events are in another order in the log, or of which the log has some that are erased.
#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string>

#include "base/try.h"
#include "migrate/compare/event_places.h"
#include "migrate/compare/seen_records.h"
#include "migrate/import/compared_conversation.h"

namespace turnlog {

// What may come late may have come in any order, before what precedes it in its record or after what follows it there:
// the log has that. What `stored` is in the source goes to waiting_[at].
Status ComparedConversation::MoveToPlace(const StoredEvent& stored, std::size_t at) {
  if (order_ && at >= order_->end()) order_.reset();
  std::optional<std::string_view> id;
  if (logged_.events.imports() && LateKeyOf(stored.event) != LateKeyOf(waiting_[at].View())) {
    if (!order_) order_.emplace(waiting_, at);
    const auto found = order_->Find(stored.event, at);
    if (found && TURNLOG_TRY(IsTheSame(stored, waiting_[*found]))) {
      for (std::size_t i = at; logged_.revisions && !order_->moved() && i < order_->end(); ++i) {
        logged_.revisions->ReadAhead(waiting_[i].View());
      }
      order_->Move(waiting_, *found, at);
      id = stored.event.event_id;
    }
  }
  return order_ ? order_->SetId(waiting_, at, id) : Status();
}

// Whatever its id, which is that of a place.
Result<bool> ComparedConversation::IsTheSame(const StoredEvent& stored, const WaitingEvent& waiting) {
  EventView event = waiting.View();
  if (stored.redacted && LateKeyOf(stored.event) == LateKeyOf(event)) return true;
  event.event_id = stored.event.event_id;
  return logged_.IsSame(stored, event);
}

Status ComparedConversation::FinishOrder(std::size_t from) {
  for (std::size_t i = from; order_ && i < order_->end(); ++i) TURNLOG_TRY(order_->SetId(waiting_, i, {}));
  order_.reset();
  return {};
}

// Whether the source does not have what was erased any more, as a question whose call goes on. Otherwise it goes to
// waiting_[at], if it may come late: it is the next event of its kind that the log does not have elsewhere in the
// record.
Result<bool> ComparedConversation::IsForgotten(const StoredEvent& erased, std::size_t at) {
  if (!logged_.events.imports() || !MayComeLate(erased.erased_kind)) return false;
  if (order_ && at >= order_->end()) order_.reset();
  std::set<std::string, std::less<>> known;  // of its kind
  StoredEvents rest = TURNLOG_TRY(logged_.ReadFrom(Seq{erased.seq.value + 1}));
  while (const auto event = TURNLOG_TRY(rest.Next())) {
    if (BeginsRecord(event->event)) break;
    if (event->event.kind() == erased.erased_kind) known.emplace(LateKeyOf(event->event)->second);
  }
  const auto may_be = [&](const EventView& event) {
    return event.kind() == erased.erased_kind && !known.contains(LateKeyOf(event)->second);
  };
  if (at == waiting_.size()) return true;
  if (may_be(waiting_[at].View())) return false;
  if (BeginsRecord(waiting_[at].View())) return true;
  const auto may_end = [&](const WaitingEvent& event) { return BeginsRecord(event.View()) || may_be(event.View()); };
  const auto rest_of_source = waiting_.subspan(at + 1);
  const auto found = std::ranges::find_if(rest_of_source, may_end);
  if (found == rest_of_source.end() || BeginsRecord(found->View())) return true;
  const std::size_t place = at + 1 + static_cast<std::size_t>(found - rest_of_source.begin());
  if (!order_) order_.emplace(waiting_, at);
  order_->Move(waiting_, place, at);
  TURNLOG_TRY(order_->SetId(waiting_, at, {}));
  return false;
}

}  // namespace turnlog
