// The story of killed_sanitizer: rounds of one append each, every one of which needs three `repair` events.
#pragma once

#include <string>

#include "tests/sanitize/sanitize_fixture.h"
#include "tests/support/story.h"

namespace turnlog {

inline constexpr std::size_t kRepairsOfRound = 3;

inline const std::vector<Event>& Round() {
  static const std::vector<Event> events = [] {
    std::string story = "T CR ";
    for (int i = 0; i < 2500; ++i) story += "R:x ";
    return Story(story + "M T CR M");
  }();
  return events;
}

inline void AppendRound(Log& log, const std::string& conversation) {
  Must(log.Append(Id(conversation), Round(), {.durability = Durability::kBuffered}));
}

}  // namespace turnlog
