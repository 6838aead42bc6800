// Conversation ids by their shape.
#pragma once

#include <string_view>

namespace turnlog {

bool IsGlob(std::string_view text);
// `*` stands for any characters, `?` for one; everything else for itself.
bool MatchesGlob(std::string_view glob, std::string_view text);

}  // namespace turnlog
