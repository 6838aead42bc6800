// The values of the secrets that rules have found in sessions: what is to go where they are repeated, too, without the
// name that gave them away.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/secrets/decoded_text.h"
#include "sanitize/secrets/secret_matcher.h"
#include "sanitize/secrets/secret_values.h"

namespace turnlog {

class KnownSecrets {
 public:
  // One that is short or common is not searched for.
  void Add(std::string_view value, std::string_view rule);
  void Add(const KnownSecrets& others) { (void)values_.Add(others.values_); }
  // As long as none is added.
  std::vector<std::string_view> values() const;
  // From now on those that were added up to now are searched for. Threads may search, and one may add, between two
  // calls.
  void Prepare();

  // What to remove from the text. Ids, signatures and hashes stay as they are, and so do names of fields and the values
  // of those that a tool needs: folders, types, names of tools.
  std::vector<TextSpan> Find(std::string_view text) const;
  // Calls `visit` with the rule of each that the text has, also in what stays.
  void ForEachRule(std::string_view text, const std::function<void(const std::string& rule)>& visit) const;

 private:
  struct Prepared {
    SecretMatcher matcher;
    std::vector<std::string> rules;  // of its values
  };

  SecretValues values_;
  std::optional<Prepared> prepared_;  // if there are any
};

}  // namespace turnlog
