#include "sanitize/secrets/secret_detector.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/try.h"
#include "sanitize/secrets/layers.h"
#include "sanitize/secrets/literal_finder.h"
#include "sanitize/secrets/secret_checks.h"
#include "sanitize/secrets/secret_regex.h"

namespace turnlog {
namespace {

constexpr std::size_t kMinSecret = 16;  // the shortest secret that is searched for in base64
// After a rejected match that is longer, the search continues at its end instead of its second byte: linear time.
constexpr std::size_t kShortSecret = 256;

bool Passes(SecretCheck check, std::string_view secret) {
  switch (check) {
    case SecretCheck::kNone:
      return true;
    case SecretCheck::kJwt:
      return IsJwt(secret);
    case SecretCheck::kBasic:
      return IsBasicAuth(secret);
    case SecretCheck::kRandom:
      return LooksRandom(secret);
    case SecretCheck::kPassword:
      return LooksLikePassword(secret);
  }
  return false;
}

// One expression that matches any of `expressions`; null if there are none.
Result<std::unique_ptr<RE2>> AnyOf(std::span<const std::string> expressions) {
  if (expressions.empty()) return nullptr;
  std::string any;
  for (const std::string& expression : expressions) any += fmt::format("{}(?:{})", any.empty() ? "" : "|", expression);
  auto regex = std::make_unique<RE2>(any, SecretRegexOptions());
  if (!regex->ok()) return std::unexpected(Error{ErrorCode::kInvalidArgument, "allow: " + regex->error()});
  return regex;
}

bool IsIn(const std::unique_ptr<RE2>& regex, std::string_view text) {
  return regex != nullptr && RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex);
}

std::vector<FoundSecret> Merge(std::vector<FoundSecret> found) {
  std::ranges::sort(found, {}, [](const FoundSecret& each) { return std::pair(each.span.begin, each.rule); });
  std::vector<FoundSecret> merged;
  for (FoundSecret& each : found) {
    if (merged.empty() || merged.back().span.end <= each.span.begin) {
      merged.push_back(std::move(each));
      continue;
    }
    FoundSecret& last = merged.back();
    const TextSpan both = {last.span.begin, std::max(last.span.end, each.span.end)};
    if (each.rule < last.rule) last = std::move(each);
    last.span = both;
  }
  return merged;
}

struct CompiledRule {
  std::unique_ptr<RE2> regex, allow;
};

using RulesByKeyword = std::map<std::string, std::vector<std::size_t>, std::less<>>;

RulesByKeyword IndexKeywords(std::span<const SecretRule> rules) {
  RulesByKeyword index;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (std::string keyword : rules[i].keywords) {
      for (char& letter : keyword) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
      auto& of_keyword = index[std::move(keyword)];
      if (of_keyword.empty() || of_keyword.back() != i) of_keyword.push_back(i);
    }
  }
  return index;
}

std::vector<std::string_view> Keywords(const RulesByKeyword& index) {
  std::vector<std::string_view> keywords;
  for (const auto& [keyword, rules] : index) keywords.push_back(keyword);
  return keywords;
}

}  // namespace

struct SecretDetector::Compiled {
  explicit Compiled(const RulesByKeyword& index) : finder(Keywords(index), LiteralFinder::Letters::kAnyCase) {
    for (const auto& [keyword, of_keyword] : index) rules_of_keyword.push_back(of_keyword);
  }

  // Where to try which rule.
  struct Window {
    TextSpan span;
    std::size_t rule;
  };

  std::vector<Window> Windows(std::string_view text) const {
    constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<Window> windows;
    std::vector<std::size_t> last(rules.rules.size(), kNone);
    finder.ForEach(text, [&](std::size_t keyword, std::size_t begin, std::size_t end) {
      for (const std::size_t rule : rules_of_keyword[keyword]) {
        const TextSpan span = {begin - std::min(begin, rules.rules[rule].before),
                               std::min(text.size(), end + rules.rules[rule].after)};
        if (last[rule] != kNone && span.begin <= windows[last[rule]].span.end) {
          TextSpan& known = windows[last[rule]].span;
          known = {std::min(known.begin, span.begin), std::max(known.end, span.end)};
        } else {
          last[rule] = windows.size();
          windows.push_back({span, rule});
        }
      }
      return true;
    });
    return windows;
  }

  bool IsSecret(std::size_t rule, std::string_view text) const {
    const SecretRule& spec = rules.rules[rule];
    return Entropy(text) >= spec.entropy && Passes(spec.check, text) && !IsIn(allow, text) &&
           !IsIn(compiled[rule].allow, text);
  }

  template <class OnSecret>
  void Search(std::string_view text, const Window& window, OnSecret on_secret) const {
    re2::StringPiece groups[10];
    const std::size_t group = rules.rules[window.rule].group;
    const re2::StringPiece piece(text.data(), text.size());
    for (std::size_t at = window.span.begin; at < window.span.end;) {
      if (!compiled[window.rule].regex->Match(piece, at, window.span.end, RE2::UNANCHORED, groups,
                                              static_cast<int>(group) + 1))
        return;
      const re2::StringPiece& secret = groups[group].data() != nullptr ? groups[group] : groups[0];
      const auto begin = static_cast<std::size_t>(secret.data() - text.data());
      const bool is_secret = IsSecret(window.rule, {secret.data(), secret.size()});
      if (is_secret && !secret.empty()) on_secret(TextSpan{begin, begin + secret.size()});
      at = std::max(at + 1, is_secret || secret.size() > kShortSecret ? begin + secret.size() : begin);
    }
  }

  SecretRules rules;
  std::vector<CompiledRule> compiled;
  std::unique_ptr<RE2> allow;
  LiteralFinder finder;
  std::vector<std::vector<std::size_t>> rules_of_keyword;
};

SecretDetector::SecretDetector(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
SecretDetector::~SecretDetector() = default;

Result<std::unique_ptr<SecretDetector>> SecretDetector::Make(SecretRules rules) {
  auto compiled = std::make_unique<Compiled>(IndexKeywords(rules.rules));
  compiled->allow = TURNLOG_TRY(AnyOf(rules.allow));
  for (const SecretRule& rule : rules.rules) {
    auto regex = std::make_unique<RE2>(rule.regex, SecretRegexOptions());
    if (!regex->ok() || rule.group > static_cast<std::size_t>(regex->NumberOfCapturingGroups()) || rule.group > 9)
      return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("rule {}: {}", rule.id, regex->error())});
    compiled->compiled.push_back({std::move(regex), TURNLOG_TRY(AnyOf(rule.allow))});
  }
  compiled->rules = std::move(rules);
  return std::unique_ptr<SecretDetector>(new SecretDetector(std::move(compiled)));
}

const SecretRule& SecretDetector::rule(std::size_t index) const { return compiled_->rules.rules[index]; }

std::size_t SecretDetector::reach() const {
  std::size_t reach = 0;
  for (const SecretRule& rule : compiled_->rules.rules) reach = std::max(reach, rule.before + rule.after);
  return reach;
}

std::vector<FoundSecret> SecretDetector::Find(std::string_view text) const {
  std::vector<FoundSecret> found;
  ForEachLayer(text, {.min_bytes = kMinSecret}, [&](const Layer& layer) {
    for (const Compiled::Window& window : compiled_->Windows(layer.text())) {
      compiled_->Search(layer.text(), window, [&](TextSpan span) {
        const std::string_view value = layer.text().substr(span.begin, span.size());
        found.push_back({layer.AtBottom(span), window.rule, SecretString(value)});
      });
    }
  });
  return Merge(std::move(found));
}

}  // namespace turnlog
