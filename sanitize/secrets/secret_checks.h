// What tells a secret from a placeholder, a name or a piece of code, beyond its shape.
#pragma once

#include <string_view>

namespace turnlog {

// Shannon's, in bits for each byte, by how often each byte occurs.
double Entropy(std::string_view text);

// The first part decodes to a JSON object with `alg`.
bool IsJwt(std::string_view text);

// Base64 of a name, a colon, and a password of printable characters.
bool IsBasicAuth(std::string_view text);

// Made by a machine: letters and digits change often, unlike in names, paths and words.
bool LooksRandom(std::string_view text);

// A password as people and programs choose them: not code, not a path or name, and not only a word.
bool LooksLikePassword(std::string_view text);

}  // namespace turnlog
