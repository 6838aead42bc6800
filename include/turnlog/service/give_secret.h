// Answers a question for a secret: the service hands the secret to the agent that waits for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct SecretGiver {
  std::optional<std::string> who = {};
  std::string via = "api";
};

// In memory alone: the log says `redacted`. kUnsupported: `log` is not of a service. kConflict: no agent waits for it
// (WaitOptions::takes_secret), or the question has been closed; nothing is recorded. kNotFound: it was never asked.
// kIo: the service cannot be reached; or the secret is recorded as given, but the agent went away before it had it, and
// asks again when it comes back.
Status GiveSecret(Log& log, const ConversationId& conversation, std::string_view inquiry, std::string_view secret,
                  const SecretGiver& giver = {});

}  // namespace turnlog
