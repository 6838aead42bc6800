// What secrets look like: rules as data. docs/formats/secret_rules.md has the format of their files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/result.h"

namespace turnlog {

// What a regular expression cannot tell.
enum class SecretCheck : std::uint8_t {
  kNone,
  kJwt,       // the first part decodes to a JSON object with `alg`
  kBasic,     // decodes to name:password
  kRandom,    // looks as if a machine had made it, not like a name, a path or a word
  kPassword,  // looks as if it were a password and not code, a name or a sentence
};

struct SecretRule {
  std::string id;                     // stable: it stands in reports and records
  std::string description;            // one line for people
  std::string regex;                  // RE2's syntax, over bytes
  std::size_t group = 0;              // the capturing group that is the secret
  std::vector<std::string> keywords;  // where none stands, in whatever case, the rule is not tried
  std::size_t before = 0;             // how far before a keyword a match may begin
  std::size_t after = 256;            // how far behind it a match may end
  double entropy = 0;                 // at least so many bits for each byte of the secret
  std::vector<std::string> allow;     // the secret is none if one of these is found in it
  SecretCheck check = SecretCheck::kNone;
};

struct SecretRules {
  std::vector<SecretRule> rules;   // those in front win where two find the same place
  std::vector<std::string> allow;  // for all rules
};

// The rules that turnlog comes with.
const SecretRules& BuiltInSecretRules();

// The same with those of a file, if one is named.
Result<SecretRules> LoadSecretRules(const std::filesystem::path& path);

// `base` with the rules of a file: new ones in front, one with a known id in its place, and without those that the file
// disables. kInvalidArgument: the message begins with `file` and the line, and says what is wrong.
Result<SecretRules> ParseSecretRules(std::string_view json, std::string_view file, SecretRules base);

}  // namespace turnlog
