// Finds presumed secrets in a text: each rule is tried around its keywords, in the text and in every decoded layer
// (escapes, base64). Matches of several rules at the same position are reported once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "sanitize/secrets/decoded_text.h"
#include "sanitize/secrets/secret_rules.h"

namespace turnlog {

class CompiledRules;
struct LayerOptions;

// Raised when the detector finds what it did not find with the same rules: events that were searched by an earlier one
// are then searched again. A test fails if it should have been raised.
inline constexpr int kDetectorRevision = 10;

struct FoundSecret {
  TextSpan span;        // what to remove: the whole base64 text, otherwise the secret with whole escapes
  std::size_t rule;     // its index
  std::size_t keyword;  // of the rule: the index of the one that led to it
  SecretString value;   // the decoded secret, to search for its occurrences
};

// Immutable: any thread may use it.
class SecretDetector {
 public:
  // kInvalidArgument: an expression is invalid.
  static Result<std::unique_ptr<SecretDetector>> Make(SecretRules rules);
  ~SecretDetector();

  const SecretRule& rule(std::size_t index) const;
  // The maximal length of text that a rule examines, apart from matches that are longer.
  std::size_t reach() const;
  // In order, none overlapping another. Time: linear in the text.
  std::vector<FoundSecret> Find(std::string_view text) const;
  // Calls on_keyword with where each keyword of the rules is, or a part of one. Find finds something only around those
  // of the text and of its decoded layers.
  void ForEachKeyword(std::string_view text, const std::function<void(std::size_t at)>& on_keyword) const;
  // Of the layers that Find searches.
  LayerOptions layer_options() const;
  // Why it is taken for a secret, on one line, without quoting it.
  std::string Explain(const FoundSecret& found) const;

 private:
  explicit SecretDetector(std::unique_ptr<const CompiledRules> rules);

  std::unique_ptr<const CompiledRules> rules_;
};

}  // namespace turnlog
