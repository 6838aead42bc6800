// Recognises the outputs of Codex' calls that were refused.
#pragma once

#include <optional>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// The whole output decides: the same words are quoted in others.
std::optional<Denial> ReadCodexDenial(std::string_view output);

}  // namespace turnlog
