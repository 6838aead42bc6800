// Whether a record of a source is what `logctl doctor --in-place` has made of one that the log has. Only what doctor
// does is recognised: any other change is a conflict.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "migrate/format.h"
#include "turnlog/event.h"

namespace turnlog {

// Results that doctor, or a session that turnlog has written after a repair, has in another record than the log.
struct MovedResults {
  using IsResult = std::function<bool(const EventView& result)>;
  IsResult may_come = [](const EventView&) { return false; };  // it is that of a record that has not been found yet
  IsResult has_gone = [](const EventView&) { return false; };  // it has come in an earlier record
};

// `stored`, `now`: the events of the record in the log and in the source. Doctor removes blocks that a provider
// refuses, puts a result before them for a call that has none, and writes texts of its own (records/mended_texts.h) in
// place of others.
bool IsMendedRecord(std::span<const EventView> stored, std::span<const EventView> now, const Format& format,
                    const MovedResults& moved);
// A hash of what the event says, whatever the number of its row, after `before`.
std::uint64_t HashButForNumber(EventView event, const Format& format, std::uint64_t before);

// Whether the record, of the log, is one that doctor removes: nothing may be left of it.
bool IsRemovedRecord(std::span<const EventView> stored, const MovedResults& moved);

}  // namespace turnlog
