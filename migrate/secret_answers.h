// Answers to secret questions that an older writer recorded in clear. The log refuses them, so importers redact them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "turnlog/event.h"

namespace turnlog {

// Turns each answer to a secret question of the same turn into `redacted`, without its reason, responder and source
// text. Gives the places of those that it changed. `events` is a conversation from its beginning.
std::vector<std::size_t> RedactSecretAnswers(std::span<Event> events);

}  // namespace turnlog
