#include "log/encoded_events.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/secret_string.h"
#include "schema/event/codec.h"
#include "schema/event/encoded_size.h"

namespace turnlog {
namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;

EventEncoder& Encoder() {
  thread_local EventEncoder encoder;
  return encoder;
}

// Wipes the encoder's memory afterwards: the events may be refused, or redacted later.
struct WipedEncoder {
  WipedEncoder() = default;
  WipedEncoder(const WipedEncoder&) = delete;
  WipedEncoder& operator=(const WipedEncoder&) = delete;
  ~WipedEncoder() { encoder.Wipe(); }

  EventEncoder& encoder = Encoder();
};

}  // namespace

EncodedEvents::One& EncodedEvents::Add(const EventView& event, std::string_view payload, std::uint64_t salt) {
  One& one = events.emplace_back();
  one.fields = IndexedFieldsOf(event, payload.size(), salt);
  one.begin = bytes.size();
  one.length = payload.size();
  one.hash = Hash64(payload);
  return one;
}

Result<EncodedEvents> EncodedEvents::Make(std::span<const EventView> events, std::uint64_t salt) {
  const WipedEncoder wiped;
  EncodedEvents prepared;
  prepared.events.reserve(events.size());
  std::size_t bound = 0;
  bool any_large = false;
  for (const EventView& event : events) {
    const std::size_t size = EncodedSizeBound(event);
    any_large |= size > kLarge;
    bound += size > kLarge ? 0 : size;
  }
  prepared.bytes.reserve(bound);  // growing would leave copies that are not wiped
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (Status valid = Validate(events[i]); !valid) {
      Error error = std::move(valid).error();
      if (events.size() > 1) error.message = fmt::format("event {} of {}: {}", i + 1, events.size(), error.message);
      return std::unexpected(std::move(error));
    }
    if (any_large && EncodedSizeBound(events[i]) > kLarge) {
      auto own = std::make_unique<EventEncoder>();
      const std::string_view payload = own->Encode(events[i]);
      One& one = prepared.Add(events[i], payload, salt);
      one.large = std::move(own);
      one.large_payload = payload;
    } else {
      const std::string_view payload = wiped.encoder.Encode(events[i]);
      prepared.Add(events[i], payload, salt);
      prepared.bytes.append(payload);
    }
  }
  return prepared;
}

}  // namespace turnlog
