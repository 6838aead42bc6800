// Secrets on open descriptors: what a caller pipes in, and where a typed one is passed on to.
#pragma once

#include <string_view>

#include "base/secret_string.h"
#include "logctl/errors.h"

namespace turnlog {

// All that the descriptor gives; `name` is for messages. Fails if it is larger than an event may be.
Expected<SecretString> ReadSecret(int descriptor, std::string_view name);
// REQUIRES: `descriptor` is open.
Status WriteTo(int descriptor, std::string_view text);

}  // namespace turnlog
