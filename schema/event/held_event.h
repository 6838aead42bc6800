// Events as the bytes that a record has of them, kept for a while: an importer encodes each event once, and moves it
// on the way to the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "schema/event/codec.h"
#include "turnlog/event.h"

namespace turnlog {

// A valid event, as EncodeEvent has encoded it. Copying it copies none of its bytes.
struct EncodedEvent {
  EventKind kind = EventKind::kUnknown;
  std::string_view payload;  // lies at kPayloadAlignment

  // Views into the payload.
  EventView View() const;
  EventLabel Label() const;
};

// What the payload of an event is in.
using EventMemory = std::shared_ptr<const void>;

struct HeldEvent {
  EncodedEvent event;
  EventMemory memory;

  // REQUIRES: Validate(event) accepts it.
  static HeldEvent Encode(const EventView& event);
  static HeldEvent Copy(const EncodedEvent& event);
};

// Copies events one after another into blocks of memory. A block lives as long as one of its events, or can take more.
class HeldEvents {
 public:
  HeldEvent Copy(const EncodedEvent& event);
  // Of all blocks so far.
  std::size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<std::uint64_t[]> block_;
  std::span<char> room_;  // of the block
  std::size_t bytes_ = 0;
};

// Encodes events one after another into memory that is used again and again.
class EncodedBlock {
 public:
  // `size`: of the memory that is kept; what does not fit gets more.
  explicit EncodedBlock(std::size_t size);

  // Forgets all events.
  void Clear();
  // Valid until Clear. REQUIRES: Validate(event) accepts it.
  EncodedEvent Encode(const EventView& event);

 private:
  const std::size_t size_;
  const std::unique_ptr<char[]> memory_;
  std::vector<std::unique_ptr<char[]>> more_;
  std::span<char> room_;  // filled from its end
};

// Copies, which live as long as `memory` keeps them.
std::string_view CopyInto(std::pmr::memory_resource& memory, std::string_view text);
EncodedEvent CopyInto(std::pmr::memory_resource& memory, const EncodedEvent& event);

}  // namespace turnlog
