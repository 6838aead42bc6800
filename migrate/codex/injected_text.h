// What Codex itself writes in the user's name: context for the model, which begins no turn of the user.
#pragma once

#include <string_view>

#include "migrate/records/json_object.h"

namespace turnlog {

// `text`: a part of a message of the role `user`.
bool IsInjectedText(std::string_view text);

// `item`: a message of the role `user`. What newer versions say of its parts decides; otherwise one injected part
// suffices, as it does when Codex counts turns.
bool IsInjectedItem(const JsonObject& item);

}  // namespace turnlog
