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

// Wipes the encoder's memory: the event may be refused, or redacted later.
struct WipedEncoding {
  WipedEncoding(EventEncoder& by, const EventView& event) : encoder(by), payload(by.Encode(event)) {}
  WipedEncoding(const WipedEncoding&) = delete;
  WipedEncoding& operator=(const WipedEncoding&) = delete;
  ~WipedEncoding() { encoder.Wipe(); }

  EventEncoder& encoder;
  const std::string_view payload;
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
  EventEncoder& encoder = Encoder();
  EncodedEvents prepared;
  prepared.events.reserve(events.size());
  std::size_t bound = 0;
  for (const EventView& event : events) {
    const std::size_t size = EncodedSizeBound(event);
    bound += size > kLarge ? 0 : size;
  }
  prepared.bytes.reserve(bound);  // growing would leave copies that are not wiped
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (Status valid = Validate(events[i]); !valid) {
      Error error = std::move(valid).error();
      if (events.size() > 1) error.message = fmt::format("event {} of {}: {}", i + 1, events.size(), error.message);
      return std::unexpected(std::move(error));
    }
    if (EncodedSizeBound(events[i]) > kLarge) {
      auto own = std::make_unique<EventEncoder>();
      const std::string_view payload = own->Encode(events[i]);
      One& one = prepared.Add(events[i], payload, salt);
      one.large = std::move(own);
      one.large_payload = payload;
    } else {
      const WipedEncoding encoding(encoder, events[i]);
      prepared.Add(events[i], encoding.payload, salt);
      prepared.bytes.append(encoding.payload);
    }
  }
  return prepared;
}

}  // namespace turnlog
