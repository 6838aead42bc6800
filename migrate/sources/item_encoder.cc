#include "migrate/sources/item_encoder.h"

#include <cstddef>
#include <utility>

#include "base/try.h"

namespace turnlog {

SourceEvent ItemEncoder::Encode(Event& event) {
  constexpr std::size_t kLarge = std::size_t{16} << 10;
  SourceEvent item{.conversation = {}, .seq = {}, .event = {}, .location = {}};
  const EventView view = View(event);
  if (EncodingRoom(view) < kLarge) {
    item.event = {view.kind(), encoder_.Encode(view)};
    return item;
  }
  HeldEvent held = HeldEvent::Encode(view);
  item.event = held.event;
  item.memory = std::move(held.memory);
  event = Event();
  return item;
}

Result<HeldEvent> EncodeChecked(const EventView& event) {
  TURNLOG_TRY(Validate(event));
  return HeldEvent::Encode(event);
}

std::optional<ImportReason> WhyRefused(const Event& event) {
  Status valid = Validate(event);
  if (valid) return std::nullopt;
  return ImportReason{ImportProblemCode::kRefused, std::move(valid).error().message};
}

Status SourceEvent::Replace(const EventView& other) {
  HeldEvent held = TURNLOG_TRY(EncodeChecked(other));
  event = held.event;
  memory = std::move(held.memory);
  return {};
}

}  // namespace turnlog
