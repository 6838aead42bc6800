#include "log/prepared_events.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "schema/event/codec.h"

namespace turnlog {
namespace {

// The memory that payloads need, before any of them is looked at: too large ones are refused, and need none.
std::size_t RoomFor(std::span<const EventView> events) {
  std::size_t size = 0;
  for (const EventView& event : events) size += std::min(EncodingRoom(event), kMaxEventBytes);
  return size;
}

}  // namespace

// The payloads lie one before the other. Each event is validated right before it is encoded, while the processor has it
// at hand.
Result<PreparedEvents> PreparedEvents::Make(std::span<const EventView> events, std::uint64_t salt) {
  PreparedEvents encoded;
  encoded.events.reserve(events.size());
  encoded.memory = WipedMemory(RoomFor(events));
  encoded.memory.BeginFilling();
  std::span<char> room = encoded.memory.all();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (Status valid = Validate(events[i]); !valid) {
      Error error = std::move(valid).error();
      if (events.size() > 1) error.message = fmt::format("event {} of {}: {}", i + 1, events.size(), error.message);
      encoded.memory.EndFilling(encoded.memory.all().subspan(room.size()));
      return std::unexpected(std::move(error));
    }
    const std::string_view payload = EncodeEvent(events[i], room);
    room = room.first(room.size() - payload.size());
    encoded.events.push_back({.fields = IndexedFieldsOf(events[i], payload.size(), salt),
                              .payload = payload,
                              .hash = Hash64(payload),
                              .result = {}});
  }
  encoded.memory.EndFilling(encoded.memory.all().subspan(room.size()));
  return encoded;
}

PreparedEvents PreparedEvents::Of(std::span<const EncodedEvent> events, std::uint64_t salt) {
  PreparedEvents prepared;
  prepared.events.reserve(events.size());
  for (const EncodedEvent& event : events) {
    prepared.events.push_back({.fields = IndexedFieldsOf(event, salt),
                               .payload = event.payload,
                               .hash = Hash64(event.payload),
                               .result = {}});
  }
  return prepared;
}

}  // namespace turnlog
