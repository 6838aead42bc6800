#include "store/engine/encoded_events.h"

#include <fmt/format.h>

#include "base/secret_string.h"
#include "schema/event/codec.h"
#include "schema/event/encoded_size.h"

namespace turnlog {
namespace {

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

Result<EncodedEvents> EncodedEvents::Make(std::span<const EventView> events, std::uint64_t salt) {
  EventEncoder& encoder = Encoder();
  EncodedEvents prepared;
  prepared.events.reserve(events.size());
  std::size_t bound = 0;
  for (const EventView& event : events) bound += EncodedSizeBound(event);
  prepared.bytes.reserve(bound);  // growing would leave copies that are not wiped
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (Status valid = Validate(events[i]); !valid) {
      Error error = std::move(valid).error();
      if (events.size() > 1) error.message = fmt::format("event {} of {}: {}", i + 1, events.size(), error.message);
      return std::unexpected(std::move(error));
    }
    const WipedEncoding encoding(encoder, events[i]);
    const std::string_view payload = encoding.payload;
    prepared.events.push_back({.fields = IndexedFieldsOf(events[i], payload.size(), salt),
                               .begin = prepared.bytes.size(),
                               .length = payload.size(),
                               .hash = Hash64(payload),
                               .result = {}});
    prepared.bytes.append(payload);
  }
  return prepared;
}

PendingFrame EncodedEvents::ToFrame(const One& one, std::uint32_t conversation, FrameType type) const {
  return {.header = {.type = type, .kind = one.fields.kind, .conversation = conversation, .seq = one.result.seq.value},
          .payload = Payload(one),
          .payload_hash = one.hash};
}

}  // namespace turnlog
