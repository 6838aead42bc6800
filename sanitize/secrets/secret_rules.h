// The rules by which secrets are detected. docs/formats/secret_rules.md has the format of their files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/secrets/named_value.h"
#include "turnlog/result.h"

namespace turnlog {

// Checks beyond the regular expression.
enum class SecretCheck : std::uint8_t {
  kNone,
  kNotWords,        // not only words, with or without signs between them
  kJwt,             // see IsJwt
  kBasic,           // decodes to name:password
  kRandom,          // looks random, not like a name, a path or a word
  kOpaque,          // the same, and is no UUID or digest
  kIssued,          // as services issue keys: random, or a UUID or a long number
  kBase64Text,      // decodes to text or to random bytes
  kPassword,        // looks like a password, not like code, a name or a sentence
  kStrongPassword,  // and no word with a count, which most examples have
  kSeedPhrase,      // words of BIP 39
  kUnlikeWords,     // not small letters that follow each other as in words
  kKeyBlock,        // the match is the header of a key, which is read on: see ReadKeyBlock
};

struct SecretRule {
  std::string id;                     // stable: used in reports and records
  std::string description;            // one line for people
  std::string source;                 // where the shape is documented; may be empty
  std::string regex;                  // RE2's syntax, over bytes
  std::optional<std::size_t> group;   // the capturing group that is the secret; nothing: the first one, or the whole
  std::vector<std::string> keywords;  // the rule is only tried near one of these, in any case
  std::size_t before = 0;             // how far before a keyword a match may begin
  std::size_t after = 256;            // how far after it a match may end; a match that reaches so far is read on
  bool anchored = false;              // a match begins with the keyword
  std::string needs;                  // what else each match has, up to `after`: cheaper than trying the expression
  // A rule with names: the keywords are parts of names, and `regex` is matched against the whole value of such a name.
  bool named = false;
  std::string called, not_called;  // what the whole name must and must not match; empty: any, none
  std::string near;                // what must match in the text before the name; empty: anything
  std::vector<ValueForm> forms;    // the notations in which it counts; empty: all but prose
  double entropy = 0;              // minimal bits per byte of the secret
  std::vector<std::string> allow;  // not a secret if one of these matches in it
  SecretCheck check = SecretCheck::kNone;
  bool is_valid = false;  // its expressions are known to be, so that each is compiled when it is first needed
};

struct SecretRules {
  std::vector<SecretRule> rules;   // earlier rules win where two match the same text
  std::vector<std::string> allow;  // for all rules
  // Words of examples. A text with one of them is no secret, unless what is left without them still looks like one.
  std::vector<std::string> placeholders;
};

// The built-in rules.
const SecretRules& BuiltInSecretRules();

// The built-in rules with those of a file, if `path` is not empty.
Result<SecretRules> LoadSecretRules(const std::filesystem::path& path);

// `base` with the rules of a file: new ones are prepended, one with a known id replaces that rule, disabled ones are
// removed. kInvalidArgument: the message begins with `file` and the line, and says what is wrong.
Result<SecretRules> ParseSecretRules(std::string_view json, std::string_view file, SecretRules base);

}  // namespace turnlog
