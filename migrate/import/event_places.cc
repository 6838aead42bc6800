#include "migrate/import/event_places.h"

#include <algorithm>
#include <variant>

#include "base/hash.h"
#include "base/try.h"
#include "migrate/import/item_encoder.h"
#include "migrate/import/seen_records.h"

namespace turnlog {
namespace {

std::uint64_t HashOfAnswer(const EventView& event) {
  const auto answer = AnsweredBy(event);
  return answer ? HashId(answer->second, static_cast<std::uint64_t>(answer->first)).low | 1 : 0;
}

}  // namespace

std::optional<std::pair<EventKind, std::string_view>> AnsweredBy(const EventView& event) {
  if (const auto* result = std::get_if<ToolCallResponseView>(&event.body)) return std::pair(event.kind(), result->id);
  if (const auto* answer = std::get_if<InquiryResponseView>(&event.body)) {
    return std::pair(event.kind(), answer->id.text);
  }
  return std::nullopt;
}

RecordOrder::RecordOrder(std::span<const WaitingEvent> events, std::size_t begin) : begin_(begin) {
  for (std::size_t i = begin; i < events.size(); ++i) {
    const EventView event = events[i].View();
    if (i > begin && BeginsRecord(event)) break;
    ids_.emplace_back(event.event_id.value_or(""));
    answer_.push_back(HashOfAnswer(event));
  }
}

std::optional<std::size_t> RecordOrder::Find(const EventView& stored, std::size_t at) const {
  const std::uint64_t wanted = HashOfAnswer(stored);
  const auto after = answer_.begin() + static_cast<std::ptrdiff_t>(at - begin_) + 1;
  const auto found = std::find_if(after, answer_.end(), [&](auto hash) { return hash == wanted || hash == 0; });
  if (found == answer_.end()) return std::nullopt;
  return begin_ + static_cast<std::size_t>(found - answer_.begin());
}

void RecordOrder::Move(std::span<WaitingEvent> events, std::size_t from, std::size_t to) {
  const auto rotate = [](auto list, std::size_t first, std::size_t last) {
    std::rotate(list.begin() + static_cast<std::ptrdiff_t>(first), list.begin() + static_cast<std::ptrdiff_t>(last),
                list.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  };
  moved_ = true;
  rotate(events, to, from);
  rotate(std::span(answer_), to - begin_, from - begin_);
}

Status RecordOrder::Settle(std::span<WaitingEvent> events, std::size_t at, std::optional<std::string_view> id) const {
  EventView event = events[at].View();
  const std::string_view given = id.value_or(ids_[at - begin_]);
  if (!event.event_id || given.empty() || event.event_id == given) return {};
  event.event_id = given;
  events[at].held = TURNLOG_TRY(EncodeChecked(event));
  return {};
}

}  // namespace turnlog
