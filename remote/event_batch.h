// Events on their way to a log, in their stored encoding: the body of an append or a redaction from another process.
// For each event its seq (0 for an append) and its length, 8 bytes each, and the encoded event, filled up to a multiple
// of 8, so that it can be decoded where it lies.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "turnlog/event.h"
#include "turnlog/result.h"

namespace turnlog {

inline constexpr std::string_view kEventsType = "application/vnd.turnlog.events.v1";

struct NumberedEvent {
  Seq seq;
  EventView event;
};

// Validates and encodes; the memory is wiped. Errors are those of Validate, with the number of the event if there are
// several.
Result<SecretString> EncodeBatch(std::span<const NumberedEvent> events);
// The same at the end of `bytes`, whose size is a multiple of 8.
Status EncodeBatch(std::span<const NumberedEvent> events, SecretString& bytes);
// The events borrow from `bytes`. REQUIRES: `bytes` lies at a multiple of 8. kInvalidArgument: it is malformed.
Result<std::vector<NumberedEvent>> DecodeBatch(std::string_view bytes);

}  // namespace turnlog
