// Events that say which one they are, in two conversations, so that a reader can tell whether one is missing.
#pragma once

#include <cstdint>
#include <string>

#include "turnlog/log.h"

namespace turnlog {

inline std::string NumberedText(std::uint64_t n) { return std::to_string(n) + std::string(n % 200, '.'); }

// Brings the conversations "even" and "odd" together to `count` events more. Event `n` of a conversation says "n" and
// some filling; the last of every five is appended together with the next.
inline Status AppendNumbered(Log& log, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count;) {
    const ConversationId id = *ConversationId::Parse(i % 2 == 0 ? "even" : "odd");
    const auto info = log.Info(id);
    std::uint64_t last = info ? info->last.value : 0;
    std::vector<Event> events;
    do {
      Event event;
      event.body = ChatRequest{.content = NumberedText(++last)};
      events.push_back(std::move(event));
      ++i;
    } while (i < count && i % 5 == 0);
    const auto appended =
        log.Append(id, events, {.durability = Durability::kBuffered, .expected_last = Seq{last - events.size()}});
    if (!appended) return std::unexpected(appended.error());
  }
  return {};
}

}  // namespace turnlog
