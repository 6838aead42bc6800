// What a response of OpenAI's APIs says of itself beside its messages or items.
#pragma once

#include <optional>
#include <string_view>

#include "turnlog/types.h"

namespace turnlog {

// When it was made, by the document or its first bytes; nothing if that is no response.
std::optional<Timestamp> TimeOfResponse(std::string_view document);

}  // namespace turnlog
