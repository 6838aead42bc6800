// Events validated and encoded before any lock is taken.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "log/indexed_fields.h"
#include "schema/event/codec.h"
#include "turnlog/log.h"

namespace turnlog {

struct EncodedEvents {
  struct One {
    IndexedFields fields;
    std::size_t begin = 0, length = 0;  // in `bytes`
    // A large event is not copied there: its encoding stays with an encoder of its own.
    std::unique_ptr<EventEncoder> large;
    std::string_view large_payload;
    std::uint64_t hash = 0;  // Hash64 of the payload
    AppendedEvent result;
  };

  EncodedEvents() = default;
  EncodedEvents(EncodedEvents&&) = default;
  EncodedEvents& operator=(EncodedEvents&&) = default;
  ~EncodedEvents() { Wipe(bytes); }  // whether refused, repeated or stored

  std::string bytes;
  std::vector<One> events;

  // Adds the event without its payload.
  One& Add(const EventView& event, std::string_view payload, std::uint64_t salt);
  // Fails with Validate's error for the first invalid event.
  static Result<EncodedEvents> Make(std::span<const EventView> events, std::uint64_t salt);

  std::string_view Payload(const One& one) const {
    if (one.large != nullptr) return one.large_payload;
    return std::string_view(bytes).substr(one.begin, one.length);
  }
};

}  // namespace turnlog
