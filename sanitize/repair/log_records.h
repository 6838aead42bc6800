// A conversation as planners read it: damage is an error, and an erased event is still one of its kind.
#pragma once

#include <functional>
#include <optional>

#include "history/repair_set.h"
#include "turnlog/log.h"

namespace turnlog {

// `record`: null if the event has been erased; valid during the call. Returns whether to continue.
using OnRecord = std::function<Result<bool>(Seq seq, EventKind kind, const Record* record)>;

// From `from` to `to`, in order.
Status ForEachRecord(Log& log, const ConversationId& conversation, Seq from, Seq to, const OnRecord& on_record);

struct TimedRepair {
  StoredRepair stored;
  std::optional<Timestamp> time;
};

// kNotFound: there is no `repair` event at `seq`.
Result<TimedRepair> LoadRepair(Log& log, const ConversationId& conversation, Seq seq);

}  // namespace turnlog
