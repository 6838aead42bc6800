// Any bytes as a file in which programs keep credentials: values that are worth searching, once each, which lie in it
// or, for a registry, in its base64.
#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "sanitize/secrets/credential_files.h"
#include "sanitize/secrets/credential_text.h"
#include "sanitize/secrets/secret_matcher.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temp_dir.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  static const TempDir home;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto values = CredentialsIn(text);
  for (auto value = values.begin(); value != values.end(); ++value) {
    Require(!WhyNotSearchable(value->view()));
    Require(std::none_of(values.begin(), value, [&](const auto& other) { return other.view() == value->view(); }));
    Require(value->view().size() <= text.size());
  }
  // The same in a file, and the only token of another one.
  for (const char* name : {".env", ".vault-token"}) std::ofstream(home / name, std::ios::binary) << text;
  const auto known = KnownCredentials(home.path());
  Require(known.has_value());
  for (const SecretString& value : *known) Require(!WhyNotSearchable(value.view()));
  Require(known->size() >= values.size());
  return 0;
}
