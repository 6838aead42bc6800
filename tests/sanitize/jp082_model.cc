#include "tests/sanitize/jp082_model.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace turnlog {
namespace {

using Events = std::vector<Event>;

std::string IdOf(const Event& event) {
  if (const auto* call = std::get_if<ToolCallRequest>(&event.body)) return call->id;
  if (const auto* result = std::get_if<ToolCallResponse>(&event.body)) return result->id;
  if (const auto* question = std::get_if<InquiryRequest>(&event.body)) return question->id.text;
  if (const auto* answer = std::get_if<InquiryResponse>(&event.body)) return answer->id.text;
  return {};
}

bool BelongsToATurn(const Event& event) { return !IsGlobal(event.kind()); }

std::size_t FirstChat(const Events& events) {
  std::size_t i = 0;
  while (i < events.size() && events[i].kind() != EventKind::kChatRequest) ++i;
  return i;
}

// How many events of the kind and id there are in [from, to).
std::size_t Count(const Events& events, std::size_t from, std::size_t to, EventKind kind, const std::string& id) {
  std::size_t count = 0;
  for (std::size_t i = from; i < to; ++i) count += events[i].kind() == kind && IdOf(events[i]) == id ? 1 : 0;
  return count;
}

bool Exists(const Events& events, EventKind kind, const std::string& id) {
  return Count(events, 0, events.size(), kind, id) > 0;
}

Events DropLeadingEvents(const Events& events) {
  const std::size_t chat = FirstChat(events);
  if (chat == events.size()) return events;
  Events kept;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool leading = i < chat && BelongsToATurn(events[i]) && events[i].kind() != EventKind::kTurnStart;
    if (!leading) kept.push_back(events[i]);
  }
  return kept;
}

Events DropOrphanResults(const Events& events) {
  Events kept;
  for (const Event& event : events) {
    const bool result = event.kind() == EventKind::kToolCallResponse;
    if (!result || Exists(events, EventKind::kToolCallRequest, IdOf(event))) kept.push_back(event);
  }
  return kept;
}

Events CloseInterruptedCalls(const Events& events) {
  Events closed;
  for (const Event& event : events) {
    closed.push_back(event);
    if (event.kind() != EventKind::kToolCallRequest) continue;
    if (Exists(events, EventKind::kToolCallResponse, IdOf(event))) continue;
    Event result;
    result.timestamp = event.timestamp;
    result.body = ToolCallResponse{IdOf(event), "Tool call was interrupted.", true, {}};
    closed.push_back(result);
  }
  return closed;
}

// Of the inquiry events of `kind`, the n-th of an id is kept if its turn has at least n events of the other kind with
// this id, in any order.
Events DropUnpaired(const Events& events, EventKind kind, EventKind other) {
  Events kept;
  for (std::size_t i = 0; i < events.size(); ++i) {
    std::size_t from = i, to = i + 1;
    while (from > 0 && events[from].kind() != EventKind::kTurnStart) --from;
    while (to < events.size() && events[to].kind() != EventKind::kTurnStart) ++to;
    const std::string id = IdOf(events[i]);
    const std::size_t n = Count(events, from, i + 1, kind, id);
    if (events[i].kind() != kind || n <= Count(events, from, to, other, id)) kept.push_back(events[i]);
  }
  return kept;
}

Events DropTrailingTurn(Events events) {
  const auto last = std::find_if(events.rbegin(), events.rend(), BelongsToATurn);
  if (last != events.rend() && last->kind() == EventKind::kTurnStart) events.erase(std::next(last).base());
  return events;
}

Event TurnStartAt(std::optional<Timestamp> time) {
  Event event;
  event.timestamp = time.value_or(Timestamp{});
  return event;
}

// Without a chat_request the vectors of the reference begin with one more turn_start, unless there are only
// turn_starts; its time is that of the first event, or zero if that has none.
Events LeaveOneLeadingTurn(Events events) {
  const std::size_t chat = FirstChat(events);
  if (chat == events.size()) {
    const auto has_content = [](const Event& e) { return BelongsToATurn(e) && e.kind() != EventKind::kTurnStart; };
    if (std::ranges::none_of(events, has_content)) return events;
    const std::optional<Timestamp> time = BelongsToATurn(events.front()) ? events.front().timestamp : std::nullopt;
    events.insert(events.begin(), TurnStartAt(time));
    return events;
  }
  Events left;
  bool found = false;
  for (std::size_t i = events.size(); i-- > 0;) {
    const bool leading = i < chat && events[i].kind() == EventKind::kTurnStart;
    if (!leading || !found) left.push_back(events[i]);
    found = found || leading;
  }
  std::ranges::reverse(left);
  if (!found) left.insert(left.begin() + static_cast<std::ptrdiff_t>(chat), TurnStartAt(events[chat].timestamp));
  return left;
}

}  // namespace

std::vector<Event> Jp082Model(std::vector<Event> events) {
  events = DropLeadingEvents(events);
  events = DropOrphanResults(events);
  events = CloseInterruptedCalls(events);
  events = DropUnpaired(events, EventKind::kInquiryResponse, EventKind::kInquiryRequest);
  events = DropUnpaired(events, EventKind::kInquiryRequest, EventKind::kInquiryResponse);
  events = DropTrailingTurn(std::move(events));
  return LeaveOneLeadingTurn(std::move(events));
}

}  // namespace turnlog
