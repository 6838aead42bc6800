// Reads a private key in text form (PEM, PGP, PuTTY) however it is shown: with line numbers, as a diff, quoted, in a
// list of strings, in a table or in colours, on one line, or cut off.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/secret_string.h"
#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

// The longest block that is read: certificates and post-quantum keys take some ten kilobytes.
inline constexpr std::size_t kMaxKeyBlock = std::size_t{1} << 17;

struct KeyBlock {
  TextSpan span;     // all of it, decorations between the lines included
  SecretString key;  // the bare lines, each once more on a line of its own
};

// The block that begins with `header`, a line such as `-----BEGIN PRIVATE KEY-----`. Nothing if no key follows: a
// public key, a placeholder, prose. Time: linear in the block.
std::optional<KeyBlock> ReadKeyBlock(std::string_view text, TextSpan header);

}  // namespace turnlog
