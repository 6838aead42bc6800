#include "migrate/import/event_places.h"

#include <variant>

#include "base/try.h"
#include "migrate/import/item_encoder.h"

namespace turnlog {

std::optional<std::pair<EventKind, std::string_view>> AnsweredBy(const EventView& event) {
  if (const auto* result = std::get_if<ToolCallResponseView>(&event.body)) return std::pair(event.kind(), result->id);
  if (const auto* answer = std::get_if<InquiryResponseView>(&event.body)) {
    return std::pair(event.kind(), answer->id.text);
  }
  return std::nullopt;
}

Status ExchangeIds(HeldEvent& one, HeldEvent& other) {
  EventView first = one.event.View(), second = other.event.View();
  if (!first.event_id || !second.event_id) return {};
  std::swap(first.event_id, second.event_id);
  HeldEvent changed = TURNLOG_TRY(EncodeChecked(first));
  other = TURNLOG_TRY(EncodeChecked(second));
  one = std::move(changed);
  return {};
}

Status SetId(HeldEvent& held, std::optional<std::string_view> id) {
  EventView event = held.event.View();
  if (!event.event_id || !id || event.event_id == id) return {};
  event.event_id = id;
  held = TURNLOG_TRY(EncodeChecked(event));
  return {};
}

}  // namespace turnlog
