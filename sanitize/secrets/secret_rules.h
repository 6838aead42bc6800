// The rules by which secrets are detected. docs/formats/secret_rules.md has the format of their files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/result.h"

namespace turnlog {

// Checks beyond the regular expression.
enum class SecretCheck : std::uint8_t {
  kNone,
  kJwt,       // the first part decodes to a JSON object with `alg`
  kBasic,     // decodes to name:password
  kRandom,    // looks random, not like a name, a path or a word
  kPassword,  // looks like a password, not like code, a name or a sentence
};

struct SecretRule {
  std::string id;                     // stable: used in reports and records
  std::string description;            // one line for people
  std::string regex;                  // RE2's syntax, over bytes
  std::size_t group = 0;              // the capturing group that is the secret
  std::vector<std::string> keywords;  // the rule is only tried near one of these, in any case
  std::size_t before = 0;             // how far before a keyword a match may begin
  std::size_t after = 256;            // how far after it a match may end
  double entropy = 0;                 // minimal bits per byte of the secret
  std::vector<std::string> allow;     // not a secret if one of these matches in it
  SecretCheck check = SecretCheck::kNone;
};

struct SecretRules {
  std::vector<SecretRule> rules;   // earlier rules win where two match the same place
  std::vector<std::string> allow;  // for all rules
};

// The built-in rules.
const SecretRules& BuiltInSecretRules();

// The built-in rules with those of a file, if `path` is not empty.
Result<SecretRules> LoadSecretRules(const std::filesystem::path& path);

// `base` with the rules of a file: new ones are prepended, one with a known id replaces that rule, disabled ones are
// removed. kInvalidArgument: the message begins with `file` and the line, and says what is wrong.
Result<SecretRules> ParseSecretRules(std::string_view json, std::string_view file, SecretRules base);

}  // namespace turnlog
