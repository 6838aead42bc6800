#include "migrate/compare/event_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <variant>

#include "base/hash.h"
#include "base/try.h"
#include "migrate/compare/seen_records.h"
#include "migrate/sources/item_encoder.h"

namespace turnlog {
namespace {

// Of what may come late, the number is odd.
constexpr std::uint64_t kOther = 0, kCall = 2;

bool IsLate(std::uint64_t number) { return (number & 1) != 0; }

std::uint64_t NumberOf(const EventView& event) {
  const auto key = LateKeyOf(event);
  if (key) return HashId(key->second, static_cast<std::uint64_t>(key->first)).low | 1;
  return event.kind() == EventKind::kToolCallRequest ? kCall : kOther;
}

// The events of a record have its id, "<id>#1", "<id>#2", ...
std::string IdOfNextPlace(std::string_view id) {
  const std::size_t mark = id.rfind('#');
  std::size_t number = 0;
  if (id.empty()) return {};
  if (mark != std::string_view::npos) (void)std::from_chars(id.data() + mark + 1, id.data() + id.size(), number);
  return fmt::format("{}#{}", id.substr(0, mark), number + 1);
}

}  // namespace

std::optional<std::pair<EventKind, std::string_view>> LateKeyOf(const EventView& event) {
  if (const auto* result = std::get_if<ToolCallResponseView>(&event.body)) return std::pair(event.kind(), result->id);
  if (const auto* answer = std::get_if<InquiryResponseView>(&event.body)) {
    return std::pair(event.kind(), answer->id.text);
  }
  if (const auto* question = std::get_if<InquiryRequestView>(&event.body)) {
    return std::pair(event.kind(), question->id.text);
  }
  return std::nullopt;
}

RecordOrder::RecordOrder(std::span<const WaitingEvent> events, std::size_t begin) : begin_(begin) {
  for (std::size_t i = begin; i < events.size(); ++i) {
    const EventView event = events[i].View();
    if (i > begin && BeginsRecord(event)) break;
    ids_.emplace_back(event.event_id.value_or(""));
    numbers_.push_back(NumberOf(event));
  }
  // Foreign events have none, but another event may come to their places.
  for (std::size_t i = 1; i < ids_.size(); ++i) {
    if (ids_[i].empty()) ids_[i] = IdOfNextPlace(ids_[i - 1]);
  }
}

std::optional<std::size_t> RecordOrder::Find(const EventView& stored, std::size_t at) const {
  if (numbers_[at - begin_] == kOther) return std::nullopt;
  const std::uint64_t wanted = NumberOf(stored);
  const auto may_be = [wanted](std::uint64_t number) {
    return IsLate(wanted) ? number == wanted || number == kOther : !IsLate(number);
  };
  const auto found =
      std::find_if(numbers_.begin() + static_cast<std::ptrdiff_t>(at - begin_) + 1, numbers_.end(), may_be);
  if (found == numbers_.end()) return std::nullopt;
  return begin_ + static_cast<std::size_t>(found - numbers_.begin());
}

void RecordOrder::Move(std::span<WaitingEvent> events, std::size_t from, std::size_t to) {
  const auto rotate = [](auto list, std::size_t first, std::size_t last) {
    std::rotate(list.begin() + static_cast<std::ptrdiff_t>(first), list.begin() + static_cast<std::ptrdiff_t>(last),
                list.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  };
  moved_ = true;
  rotate(events, to, from);
  rotate(std::span(numbers_), to - begin_, from - begin_);
}

Status RecordOrder::SetId(std::span<WaitingEvent> events, std::size_t at, std::optional<std::string_view> id) const {
  EventView event = events[at].View();
  const std::string_view given = id.value_or(ids_[at - begin_]);
  if (!event.event_id || given.empty() || event.event_id == given) return {};
  event.event_id = given;
  events[at].held = TURNLOG_TRY(EncodeChecked(event));
  return {};
}

}  // namespace turnlog
