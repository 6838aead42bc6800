// Base64 (RFC 4648) as jp uses it: always padded, and strict on the way in, because whether a string decodes tells
// encoded text from plain text. What decodes, encodes to the same letters again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace turnlog {

enum class Base64Alphabet {
  kStandard,  // ends in + and /
  kUrlSafe,   // ends in - and _
};

void AppendBase64(std::string_view bytes, std::string& out);  // standard alphabet

// Nothing if a letter is foreign, the padding is missing or out of place, or bits behind the last byte are set.
std::optional<std::string> DecodeBase64(std::string_view text, Base64Alphabet alphabet = Base64Alphabet::kStandard);

}  // namespace turnlog
