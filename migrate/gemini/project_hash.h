// How Gemini CLI names the folder of a project: the SHA-256 of its path.
#pragma once

#include <string>
#include <string_view>

namespace turnlog {

// In hexadecimal. Not for secrets, and not fast.
std::string GeminiProjectHash(std::string_view folder);

}  // namespace turnlog
