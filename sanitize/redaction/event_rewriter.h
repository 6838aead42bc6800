// Events without the values that are to go. What they are, and what they are known by, stays: kind, time, ids.
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
  FindSpans find;                  // what has to go from each text
  bool hide_answer = false;        // `answered` becomes `redacted`
  bool clear_fingerprint = false;  // of the record of an import, see HasFingerprint
};

struct RewrittenEvent {
  EventView event;                // borrows from what was rewritten, from `texts`, and from `events`
  std::deque<std::string> texts;  // that are new
  std::deque<Event> events;       // likewise
  bool changed = false;
  std::vector<std::string> kept;  // fields that hold a value and cannot be changed
};

// kCorruption: a `repair` whose shape is wrong.
Result<RewrittenEvent> RewriteEvent(const EventView& event, const EventChange& change);

// Whether it is the record of an import with a hash of what was imported, by which it could be told whether a guess at
// a value that has gone is right.
bool HasFingerprint(const EventView& event);

// Overwrites all texts of an event that we own.
void WipeTexts(Event& event);

}  // namespace turnlog
