// Sanitizing many conversations of a store, several at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "turnlog/log.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

struct StorePass {
  SanitizeOptions options;
  bool apply = false;      // otherwise only planned: nothing is written, and a log that is open for reading will do
  bool unchanged = false;  // kStrict: also those that have not grown since Sanitize saw them last. kJp082: always
  unsigned jobs = 1;       // conversations at a time, at least 1
};

// What came of one conversation; `repairs` is empty unless the pass applies. False ends the pass. Called on the thread
// that runs the pass, in order of the conversations.
using OnSanitized = std::function<bool(const ConversationId& conversation, const Result<SanitizeOutcome>& outcome)>;

// Every conversation of the store, or every changed one. What goes wrong with one conversation is passed on to
// `on_sanitized` and does not end the pass; an error comes back if the conversations cannot be listed. Conversations
// that appear meanwhile may be missed, like those that grow behind the pass. Memory: `jobs` open turns and a page of
// outcomes.
Status SanitizeStore(Log& log, const StorePass& pass, const OnSanitized& on_sanitized);

// The same for the conversations named.
void SanitizeConversations(Log& log, std::span<const ConversationId> conversations, const StorePass& pass,
                           const OnSanitized& on_sanitized);

}  // namespace turnlog
