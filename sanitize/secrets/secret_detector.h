// Finds what looks like a secret in a text: rules whose keyword stands somewhere are tried around it, in the text as it
// stands and in every layer underneath (escapes, base64). A place that several rules find is found once.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "sanitize/secrets/decoded_text.h"
#include "sanitize/secrets/secret_rules.h"

namespace turnlog {

struct FoundSecret {
  TextSpan place;      // what has to go: in base64 all of that, else the secret with whole escapes
  std::size_t rule;    // its index
  SecretString value;  // the secret in plain, for the search for its echoes
};

// Made once, used by any thread at any time.
class SecretDetector {
 public:
  // kInvalidArgument: an expression is none.
  static Result<std::unique_ptr<SecretDetector>> Make(SecretRules rules);
  ~SecretDetector();

  const SecretRule& rule(std::size_t index) const;
  // How far apart the beginning and the end of what a rule looks at may be, at most.
  std::size_t reach() const;
  // In order, none overlapping another. Time: linear in the text.
  std::vector<FoundSecret> Find(std::string_view text) const;

 private:
  struct Compiled;
  explicit SecretDetector(std::unique_ptr<const Compiled> compiled);

  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace turnlog
