// Rules with their expressions compiled, by keyword.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/secrets/keyword_finder.h"
#include "sanitize/secrets/lazy_regex.h"
#include "sanitize/secrets/named_value.h"
#include "sanitize/secrets/secret_rules.h"

namespace turnlog {

class CompiledRule {
 public:
  static Result<CompiledRule> Make(const SecretRule& rule);

  const SecretRule& rule() const { return *rule_; }
  // False if no match can begin at text[at], a cheap test for anchored rules.
  bool MayBeginAt(std::string_view text, std::size_t at) const;
  // The secret in the first match that begins in text[window]; with `anchored`, at its beginning. If the match reaches
  // the window's end, more of the text is read. `match`: all of it.
  std::optional<TextSpan> Match(std::string_view text, TextSpan window, bool anchored, TextSpan& match) const;
  // The secret in a value, if the whole value matches and its name is right.
  std::optional<TextSpan> MatchNamed(std::string_view text, const NamedValue& named) const;
  // Whether a match passes the checks of the rule.
  bool Passes(std::string_view secret) const;

 private:
  explicit CompiledRule(const SecretRule& rule) : rule_(&rule) {}
  Status CheckExpressions() const;
  // The capturing group that is the secret.
  std::size_t group() const;
  bool IsCalledRight(std::string_view text, TextSpan name) const;

  const SecretRule* rule_;
  LazyRegex regex_, allow_, called_, not_called_, near_;
  unsigned forms_ = 0;  // a bit for each
  bool at_boundary_ = false;
};

class CompiledRules {
 public:
  static Result<std::unique_ptr<CompiledRules>> Make(SecretRules rules);

  std::span<const CompiledRule> rules() const { return compiled_; }
  const KeywordFinder& finder() const { return *finder_; }
  // Whether the finder also reports each part of a text that decoding plain escapes makes a keyword of.
  bool finds_escaped_keywords() const { return finds_escaped_; }
  // A keyword that the finder reports belongs to these; to none if it is one with escaped quotes.
  struct Use {
    std::size_t rule, keyword;  // indexes; of the rule's own keywords
  };
  std::span<const Use> UsesOf(std::size_t keyword) const { return uses_[keyword]; }
  // Whether no rule takes it for a secret, because the user says so or because it is an example.
  bool IsAllowed(std::string_view secret) const;

 private:
  CompiledRules() = default;
  void AddEscapedKeywords(std::map<std::string, std::vector<Use>>& uses);
  bool IsPlaceholder(std::string_view secret) const;

  SecretRules rules_;
  std::vector<CompiledRule> compiled_;
  LazyRegex allow_, placeholders_;
  std::optional<KeywordFinder> finder_;
  std::vector<std::vector<Use>> uses_;
  bool finds_escaped_ = true;
};

}  // namespace turnlog
