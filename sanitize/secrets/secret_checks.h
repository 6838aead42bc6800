// Heuristics that distinguish a secret from a placeholder, a name or a piece of code of the same form.
#pragma once

#include <string_view>

namespace turnlog {

// Shannon entropy of the bytes, in bits per byte.
double Entropy(std::string_view text);

// The first part decodes to a JSON object with `alg`.
bool IsJwt(std::string_view text);

// Base64 of a name, a colon, and a password of printable characters.
bool IsBasicAuth(std::string_view text);

// Random: letters and digits alternate often, unlike in names, paths and words.
bool LooksRandom(std::string_view text);

// A password as people and programs choose them: not code, not a path or name, and not only a word.
bool LooksLikePassword(std::string_view text);

}  // namespace turnlog
