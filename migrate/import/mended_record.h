// Whether a record of a source is what `logctl doctor --in-place` has made of one that the log has. Only what doctor
// does is recognised: any other change is a conflict.
#pragma once

#include <span>

#include "migrate/format.h"
#include "turnlog/event.h"

namespace turnlog {

// `stored`, `now`: the events of the record in the log and in the source. Doctor removes blocks that a provider
// refuses, puts a result before them for a call that has none, and writes texts of its own (records/mended_texts.h) in
// place of others.
bool IsMendedRecord(std::span<const EventView> stored, std::span<const EventView> now, const Format& format);
// Whether the record, of the log, is one that doctor removes.
bool IsRemovedRecord(std::span<const EventView> stored);

}  // namespace turnlog
