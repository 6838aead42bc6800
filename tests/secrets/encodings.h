// The encodings of a value, and a slow check whether a text contains it: independent of the code under
// test.
#pragma once

#include <string>
#include <string_view>

#include "tests/secrets/fake_secrets.h"

namespace turnlog {

// The inside of a JSON string. Of the characters that need no escape one in `one_in` gets one, too.
std::string EscapeJson(std::string_view text, FakeSecrets& fake, std::uint32_t one_in);
std::string EscapePercent(std::string_view text, FakeSecrets& fake, std::uint32_t one_in);
// Within random bytes, so that it may begin at any bit of a letter, in either alphabet, with or without padding.
std::string EncodeSomewhereInBase64(std::string_view text, FakeSecrets& fake);
// Any of these, or none.
std::string EncodeSomehow(std::string_view text, FakeSecrets& fake);

// Tries every decoding at every position, up to `depth` levels.
bool Says(std::string_view text, std::string_view value, int depth);

}  // namespace turnlog
