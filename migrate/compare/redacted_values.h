// The values that were redacted in the events of a conversation, as its source still has them. A source may repeat them
// in later records: a checkpoint has all messages again.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "sanitize/secrets/secret_matcher.h"
#include "turnlog/event.h"
#include "turnlog/result.h"

namespace turnlog {

class RedactedValues {
 public:
  bool empty() const { return values_.empty(); }
  // Learns from a redacted event of the log, and the same event in the source.
  void Learn(EventView redacted, EventView original);

  // The event without them. None: it has none of them.
  Result<std::optional<Event>> Remove(const EventView& event);

 private:
  void Learn(std::string_view redacted, std::string_view original);

  std::vector<SecretString> values_;
  std::unique_ptr<SecretMatcher> matcher_;  // of all values; null: there are none
};

}  // namespace turnlog
