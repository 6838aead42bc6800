// Sanitizes many conversations of a store in parallel.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "turnlog/log.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

struct StorePass {
  SanitizeOptions options;
  bool apply = false;      // false: only plan; nothing is written, and the log may be open for reading
  bool unchanged = false;  // kStrict: include conversations without new events. kJp082 always does
  unsigned jobs = 1;       // conversations in parallel, at least 1
  // Called before each conversation, with `jobs` on any thread of the pass; true ends the pass. Empty: nothing does.
  std::function<bool()> stop = {};
};

// The outcome of one conversation; `repairs` is empty unless the pass applies. Called on the thread that runs the pass,
// in order of the conversations, and for each one that was sanitized, however the pass ends. Returning false ends it.
using OnSanitized = std::function<bool(const ConversationId& conversation, const Result<SanitizeOutcome>& outcome)>;

// Sanitizes every conversation of the store, or every changed one. An error in one conversation is passed
// to `on_sanitized` and does not end the pass; fails if the conversations cannot be listed. May miss
// conversations that are created or grow during the pass. Memory: `jobs` open turns and a page of
// outcomes.
Status SanitizeStore(Log& log, const StorePass& pass, const OnSanitized& on_sanitized);

// The same for the conversations named.
void SanitizeConversations(Log& log, std::span<const ConversationId> conversations, const StorePass& pass,
                           const OnSanitized& on_sanitized);

}  // namespace turnlog
