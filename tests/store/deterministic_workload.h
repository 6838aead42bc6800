// Deterministic conversations: the event of each seq, and which events are appended together, follow from the
// conversation's number, so that a test knows what a log must contain.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/log.h"
#include "turnlog/types.h"

namespace turnlog {

ConversationId NameOf(std::uint32_t conversation);
// All kinds, some open inquiries, some unmatched answers, ids that repeat in every turn, event ids, contents from empty
// to larger than a small segment.
Event EventAt(std::uint32_t conversation, std::uint64_t seq);
// The number of events in the append that begins at `seq`.
std::uint64_t BatchLength(std::uint32_t conversation, std::uint64_t seq);
std::vector<Event> BatchAt(std::uint32_t conversation, std::uint64_t seq);
// Whether an append ends with `last`.
bool IsWhole(std::uint32_t conversation, std::uint64_t last);

using LastSeqs = std::map<std::uint32_t, std::uint64_t>;

// Fails the test unless every conversation of the log is a prefix of the deterministic one, in whole appends, and
// contains all of `at_least`. Returns the last seqs.
LastSeqs ExpectBeginnings(Log& log, const LastSeqs& at_least);

}  // namespace turnlog
