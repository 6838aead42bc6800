// Numbered events in two conversations, so that a reader can detect missing ones.
#pragma once

#include <cstdint>
#include <string>

#include "turnlog/log.h"

namespace turnlog {

inline std::string NumberedText(std::uint64_t n) { return std::to_string(n) + std::string(n % 200, '.'); }

// Appends `count` more events to the conversations "even" and "odd" together. Event `n` of a conversation contains "n"
// and padding; the last of every five is appended together with the next.
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
