// Events as bytes: the payload of a record. event.fbs is the format.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

// Payloads must lie at a multiple of this in memory to be decoded.
inline constexpr std::size_t kPayloadAlignment = 8;

// A question offers at most this many options; keeps decoding within bounds whatever the bytes say.
inline constexpr std::size_t kMaxSelectOptions = 10'000;

// Encodes the event into the end of `room`, and returns where. The same event always gives the same bytes,
// kMaxEventBytes at most. REQUIRES: Validate(event) accepts it; `room` has EncodingRoom(event) bytes and ends at
// kPayloadAlignment, as what is returned begins and ends there.
std::string_view EncodeEvent(const EventView& event, std::span<char> room);
std::size_t EncodingRoom(const EventView& event);

// Encodes one event after another into the same memory. One thread at a time.
class EventEncoder {
 public:
  EventEncoder();
  ~EventEncoder();
  EventEncoder(const EventEncoder&) = delete;
  EventEncoder& operator=(const EventEncoder&) = delete;

  // REQUIRES: Validate(event) accepts it. What is returned lies at kPayloadAlignment and is valid until the next Encode
  // or Wipe.
  std::string_view Encode(const EventView& event);

  // Overwrites with zeros whatever memory has held events. Destruction and growth do the same.
  void Wipe();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Gives views into `payload`, after checking all that can be wrong with its structure: bounds, required fields, values
// of enums, ids against their parts. Does not read long texts again: that they are UTF-8 and JSON was checked before
// they were written, and the record's checksum vouches for them since.
//
// kInvalidArgument: `payload` is not aligned to kPayloadAlignment. kUnsupportedVersion: a later turnlog wrote it.
// kCorruption: anything else.
Result<EventView> DecodeEvent(std::string_view payload);

// What inquiries are paired by, and whether something in one may be secret.
struct InquiryLabel {
  std::string_view id;
  bool secret = false;       // request: asks for a secret
  bool has_default = false;  // request
  bool answered = false;     // response
  bool operator==(const InquiryLabel&) const = default;
};
// None if it is another event.
std::optional<InquiryLabel> InquiryLabelOf(const EventView& event);

// What indexes need of an event.
struct EventLabel {
  std::optional<Timestamp> time;
  std::optional<std::string_view> event_id;
  std::optional<InquiryLabel> inquiry;  // of a request or response
};

// These alone. Fails as DecodeEvent does, but only if they cannot be read.
Result<EventLabel> DecodeLabel(std::string_view payload);

// The event's time alone. Fails as DecodeEvent does, but only if the time itself cannot be read.
Result<std::optional<Timestamp>> DecodeTime(std::string_view payload);

}  // namespace turnlog
