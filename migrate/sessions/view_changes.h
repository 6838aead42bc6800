// How the sanitized view of a conversation, with its last turn closed, differs from its log.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/log.h"

namespace turnlog {

struct ViewChanges {
  std::unordered_set<std::uint64_t> absent;           // seqs that the view does not show in their place
  std::map<std::uint64_t, std::vector<Event>> after;  // what it shows after a seq; 0: before everything
};

// `results_follow`: results have to follow the message with their calls; one that comes after another message is moved
// there. Memory: the changes, and the ids of the calls of one turn. kCorruption: an event is damaged.
Result<ViewChanges> FindViewChanges(Log& log, const ConversationId& conversation, bool results_follow);

}  // namespace turnlog
