// Encodings in which a value may be written or shown, beside those of tests/secrets/encodings.h. Independent of the
// code under test.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace turnlog {

struct NamedEncoding {
  std::string_view name;
  std::function<std::string(std::string_view value)> encode;
};

// All that docs/redaction.md promises to find.
std::vector<NamedEncoding> PromisedEncodings();

// Compressed, in base64.
std::string CompressedBase64(std::string_view text, bool gzip);

}  // namespace turnlog
