#include "store/prepared_events.h"

#include <fmt/format.h>

#include "base/secret_string.h"
#include "schema/codec.h"
#include "schema/encoded_size.h"

namespace turnlog {
namespace {

EventEncoder& Encoder() {
  thread_local EventEncoder encoder;
  return encoder;
}

}  // namespace

Result<PreparedEvents> PreparedEvents::Make(std::span<const EventView> events, std::uint64_t salt) {
  EventEncoder& encoder = Encoder();
  PreparedEvents prepared;
  prepared.events.reserve(events.size());
  std::size_t bound = 0;
  for (const EventView& event : events) bound += EncodedSizeBound(event);
  prepared.bytes.reserve(bound);  // growing would leave copies behind that nobody wipes
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (Status valid = Validate(events[i]); !valid) {
      Error error = std::move(valid).error();
      if (events.size() > 1) error.message = fmt::format("event {} of {}: {}", i + 1, events.size(), error.message);
      return std::unexpected(std::move(error));
    }
    const std::string_view payload = encoder.Encode(events[i]);
    prepared.events.push_back({.facts = FactsOf(events[i], payload.size(), salt),
                               .begin = prepared.bytes.size(),
                               .length = payload.size(),
                               .hash = Hash64(payload),
                               .result = {}});
    prepared.bytes.append(payload);
  }
  return prepared;
}

void PreparedEvents::Wipe() {
  turnlog::Wipe(bytes);
  Encoder().Wipe();
}

FrameDraft PreparedEvents::Draft(const One& one, std::uint32_t conversation, FrameType type) const {
  return {.header = {.type = type, .kind = one.facts.kind, .conversation = conversation, .seq = one.result.seq.value},
          .payload = Payload(one),
          .payload_hash = one.hash};
}

}  // namespace turnlog
