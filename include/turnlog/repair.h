// A `repair` event: what the sanitized view of its conversation leaves out, adds and moves. The log itself stays as it
// is. docs/formats/repair.md has the JSON form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

enum class RepairAction : std::uint8_t {
  kDrop,    // the event at `place` is left out
  kInsert,  // an event that the log does not have stands behind `place`
  kMove,    // the event at `cause` stands behind `place`, and no longer where the log has it
};

// One change, named by its action, place, cause and rule: a conversation has no two alike in force.
struct RepairTarget {
  RepairAction action{};
  Seq place;         // kInsert, kMove: 0 is in front of everything
  Seq cause;         // the event that broke the rule; kDrop: always `place`
  std::string rule;  // e.g. "orphan-tool-result"
  auto operator<=>(const RepairTarget&) const = default;
};

struct RepairItem {
  RepairTarget target;
  std::optional<Event> event;  // kInsert: always; otherwise never
  bool operator==(const RepairItem&) const = default;
};

// What one `repair` event says. Of several items behind one place, the first comes first; those of an earlier event
// come before those of a later one.
struct Repair {
  std::string profile;  // by which rules, e.g. "strict"; "undo" if somebody took repairs back
  Seq head;             // the conversation's last event when it was planned
  Seq from, to;         // no place and no cause of what it changes is outside
  std::vector<RepairItem> items;
  std::vector<RepairTarget> retracts;  // items of earlier repairs that are not in force any more
  std::vector<Seq> undoes;  // whole `repair` events that are not in force any more; one that undoes may be undone too
  bool operator==(const Repair&) const = default;
};

// The event that says it. REQUIRES: from and to are set.
Event ToEvent(const Repair& repair, std::optional<Timestamp> timestamp);
// What a `repair` event says. kInvalidArgument: its shape is wrong; the message names the field.
Result<Repair> ParseRepair(const EventView& event);

}  // namespace turnlog
