// Removes values from events. Kind, time and ids stay.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/redaction/redacted_text.h"
#include "turnlog/event.h"
#include "turnlog/result.h"

namespace turnlog {

struct EventChange {
  FindSpans find;                  // what to remove from each text
  bool hide_answer = false;        // `answered` becomes `redacted`
  bool clear_fingerprint = false;  // of an import record, see HasFingerprint
};

// Wipes what it owns at its end: a text may still contain other values.
struct RewrittenEvent {
  RewrittenEvent() = default;
  RewrittenEvent(RewrittenEvent&&) = default;
  RewrittenEvent& operator=(RewrittenEvent&&) = delete;
  ~RewrittenEvent();

  EventView event;                // borrows from what was rewritten, from `texts`, and from `events`
  std::deque<std::string> texts;  // new texts
  std::deque<Event> events;       // new events
  bool changed = false;
  std::vector<std::string> kept;  // fields that hold a value and cannot be changed
};

// kCorruption: a `repair` whose shape is wrong.
Result<RewrittenEvent> RewriteEvent(const EventView& event, const EventChange& change);

// Whether it is an import record with a hash of the source, which would allow to verify guesses of a removed
// value.
bool HasFingerprint(const EventView& event);

// Overwrites all texts of the event.
void WipeTexts(Event& event);

}  // namespace turnlog
