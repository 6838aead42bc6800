// Random conversations in short hand (tests/support/story.h), and what must not be wrong with one any more once it has
// been sanitized.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "turnlog/event.h"

namespace turnlog {

// Any words in any order: few of the pairs fit, ids are used again within and across turns.
std::string RandomStory(std::mt19937_64& random);

// Like what agents write, but interrupted anywhere: turns that mostly fit, with a late result, a stray answer or a
// compaction now and then.
std::string LikelyStory(std::mt19937_64& random);

// What a turn that is over must not have, by the rules of pairing themselves. `last_is_open`: the last turn is not over
// even if it looks like that.
std::vector<std::string> ResidualDamage(const std::vector<Event>& events, bool last_is_open = false);

}  // namespace turnlog
