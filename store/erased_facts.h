// What is left of an erased event: as much as the index needs to know of it, so that an index that is made anew equals
// the one before. Nothing of its content; ids only as the salted hashes that the index holds anyway.
#pragma once

#include <optional>
#include <string>

#include "store/conversation_fold.h"
#include "store/frame.h"

namespace turnlog {

// Always shorter than the encoding of the event that the facts are of.
std::string EncodeFacts(const EventFacts& facts);
// The facts of an erased frame; nothing if they cannot be read.
std::optional<EventFacts> FactsOfErased(const Frame& erased);

}  // namespace turnlog
