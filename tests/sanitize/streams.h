// Random conversations in shorthand (tests/support/story.h), and a check of what must not be left after
// sanitizing.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "turnlog/event.h"

namespace turnlog {

// Any words in any order: few of the pairs fit, ids are used again within and across turns.
std::string RandomStory(std::mt19937_64& random);

// Like the events of agents, but interrupted anywhere: turns that mostly fit, sometimes with a late result, an
// unmatched answer or a compaction.
std::string LikelyStory(std::mt19937_64& random);

// Violations of the pairing rules in turns that are over. `last_is_open`: the last turn is not over even if it looks
// complete.
std::vector<std::string> ResidualDamage(const std::vector<Event>& events, bool last_is_open = false);

}  // namespace turnlog
