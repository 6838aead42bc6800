// What Codex itself writes in the user's name: context for the model, which begins no turn of the user.
#pragma once

#include <string_view>

namespace turnlog {

// `text`: a part of a message of the role `user`.
bool IsInjectedText(std::string_view text);

// `content`: of a message, a string or a list of parts. One injected part suffices, as it does when Codex counts turns.
bool HasInjectedText(std::string_view content);

}  // namespace turnlog
