// Recognises the results of Claude Code that say that a tool call was refused.
#pragma once

#include <optional>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// REQUIRES: `text` is the content of an error result. Its beginning decides: transcripts quote such texts elsewhere.
// `kind`: what its record says besides, since 2.1.235; may be empty.
std::optional<Denial> ReadClaudeDenial(std::string_view text, std::string_view kind);

// The reason of a refused question that asks for clarification instead of an answer.
bool AsksForClarification(const Denial& denial);

}  // namespace turnlog
