// Recognises the results of Claude Code that say that a tool call was refused, or stopped before it ran.
#pragma once

#include <optional>
#include <string_view>

#include "migrate/records/json_object.h"
#include "turnlog/event.h"

namespace turnlog {

struct ClaudeRefusal {
  std::optional<Denial> denial;
  bool stopped = false;  // without a decision about the call: it was interrupted, or another one was refused
};

// REQUIRES: `text` is the content of an error result of `record`. Its beginning decides, because transcripts quote such
// texts elsewhere; the fields of the record, which newer versions have, decide before that whether the call was
// stopped.
ClaudeRefusal ReadClaudeRefusal(const JsonObject& record, std::string_view text);

// The reason of a refused question that asks for clarification instead of an answer.
bool AsksForClarification(const Denial& denial);

}  // namespace turnlog
