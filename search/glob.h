// Glob patterns for conversation ids.
#pragma once

#include <string_view>

namespace turnlog {

bool IsGlob(std::string_view text);
// `*` matches any characters, `?` matches one; all others match themselves.
bool MatchesGlob(std::string_view glob, std::string_view text);

}  // namespace turnlog
