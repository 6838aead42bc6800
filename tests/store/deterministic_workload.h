// Conversations that can be foretold: which event has which seq, and which events are appended together, follows from
// the conversation's number, so that a test knows what a log must hold without remembering it.
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
// All kinds, some inquiries left open, some answers to nothing, ids that come again in every turn, event ids, contents
// from nothing to more than a small segment holds.
Event EventAt(std::uint32_t conversation, std::uint64_t seq);
// How many events are appended together from `seq` on, where an append begins.
std::uint64_t BatchLength(std::uint32_t conversation, std::uint64_t seq);
std::vector<Event> BatchAt(std::uint32_t conversation, std::uint64_t seq);
// Whether an append ends behind `last`.
bool IsWhole(std::uint32_t conversation, std::uint64_t last);

using LastSeqs = std::map<std::uint32_t, std::uint64_t>;

// Reports a test failure unless every conversation of the log is a beginning of what it must be, whole appends only,
// with all of `at_least` in it. Returns where each of them ends.
LastSeqs ExpectBeginnings(Log& log, const LastSeqs& at_least);

}  // namespace turnlog
