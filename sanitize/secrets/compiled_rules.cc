#include "sanitize/secrets/compiled_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "base/secret_string.h"
#include "base/try.h"
#include "sanitize/secrets/secret_checks.h"
#include "sanitize/secrets/secret_regex.h"
#include "sanitize/secrets/word_letters.h"

namespace turnlog {
namespace {

constexpr std::size_t kMaxGroups = 10;

Status Check(std::string_view what, const LazyRegex& regex) {
  if (!regex || regex->ok()) return {};
  return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("{}: {}", what, regex->error())});
}

// One expression that matches any of `expressions`; none if there are none.
LazyRegex AnyOf(std::span<const std::string> expressions) {
  std::string any;
  for (const std::string& expression : expressions) any += fmt::format("{}(?:{})", any.empty() ? "" : "|", expression);
  return LazyRegex(std::move(any));
}

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

bool IsIn(const LazyRegex& regex, std::string_view text) { return regex && RE2::PartialMatch(Piece(text), *regex); }

TextSpan SpanOf(std::string_view text, const re2::StringPiece& piece) {
  const auto begin = static_cast<std::size_t>(piece.data() - text.data());
  return {begin, begin + piece.size()};
}

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// With the word before it, if the name is only "token": a page token is no user's.
std::string_view WithWordBefore(std::string_view text, TextSpan name) {
  std::size_t begin = name.begin;
  if (begin > 1 && text[begin - 1] == ' ' && text.substr(begin + 1, name.size() - 1) == "oken") {
    --begin;
    while (begin > 0 && IsWordCharacter(text[begin - 1])) --begin;
  }
  return text.substr(begin, name.end - begin);
}

// The token of a badge, which a page shows to everybody: `badge.svg?token=`, `shield.svg?style=flat&circle-token=`.
bool IsOfBadge(std::string_view text, TextSpan name) {
  constexpr std::size_t kReach = 60;
  const std::string_view before = text.substr(name.begin - std::min(name.begin, kReach), std::min(name.begin, kReach));
  const std::size_t badge = before.rfind(".svg?");
  return badge != std::string_view::npos && text.substr(0, name.end).ends_with("oken") &&
         before.find_first_of(" \t\n\"'<>()", badge) == std::string_view::npos;
}

bool PassesCheck(SecretCheck check, std::string_view secret) {
  switch (check) {
    case SecretCheck::kNone:
    case SecretCheck::kKeyBlock:
      return true;
    case SecretCheck::kNotWords:
      return !IsWords(secret);
    case SecretCheck::kJwt:
      return IsJwt(secret);
    case SecretCheck::kBasic:
      return IsBasicAuth(secret);
    case SecretCheck::kRandom:
      return LooksRandom(secret);
    case SecretCheck::kOpaque:
      return LooksOpaque(secret);
    case SecretCheck::kIssued:
      return LooksIssued(secret);
    case SecretCheck::kBase64Text:
      return LooksLikeBase64(secret);
    case SecretCheck::kPassword:
      return LooksLikePassword(secret);
    case SecretCheck::kStrongPassword:
      return LooksLikePassword(secret) && !IsCountedWord(secret);
    case SecretCheck::kSeedPhrase:
      return IsSeedPhrase(secret);
    case SecretCheck::kUnlikeWords:
      return !IsLikeWord(secret);
  }
  return false;
}

// What a text has one of if decoding plain escapes makes the keyword of it: the keyword itself, or the part of it
// before a quote, with the backslash that the quote is escaped with. Nothing if that is too short to be found.
std::optional<std::vector<std::string>> EscapedForms(std::string_view keyword) {
  constexpr std::string_view kQuotes = "\"'";
  const auto may_be_escaped = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\\'; };
  if (std::ranges::any_of(keyword, may_be_escaped)) return std::nullopt;
  std::vector<std::string> forms;
  std::size_t begin = 0;
  // A quote at the beginning is one behind any backslashes.
  for (std::size_t quote = keyword.find_first_of(kQuotes, 1); quote != std::string_view::npos;
       quote = keyword.find_first_of(kQuotes, quote + 1)) {
    forms.push_back(std::string(keyword.substr(begin, quote - begin)) + '\\');
    if (forms.back().size() < kMinKeyword) return std::nullopt;
    begin = quote;
  }
  return forms;
}

}  // namespace

Result<CompiledRule> CompiledRule::Make(const SecretRule& rule) {
  CompiledRule compiled(rule);
  compiled.regex_ = LazyRegex(rule.regex);
  compiled.allow_ = AnyOf(rule.allow);
  compiled.called_ = LazyRegex(rule.called);
  compiled.not_called_ = LazyRegex(rule.not_called);
  compiled.near_ = LazyRegex(rule.near);
  if (!rule.is_valid) TURNLOG_TRY(compiled.CheckExpressions());
  compiled.at_boundary_ = rule.regex.starts_with("\\b");
  constexpr auto kBit = [](ValueForm form) { return 1U << static_cast<unsigned>(form); };
  for (const ValueForm form : rule.forms) compiled.forms_ |= kBit(form);
  if (rule.forms.empty()) compiled.forms_ = ~kBit(ValueForm::kProse);
  if ((compiled.forms_ & kBit(ValueForm::kAssigned)) != 0) compiled.forms_ |= kBit(ValueForm::kSetting);
  return compiled;
}

Status CompiledRule::CheckExpressions() const {
  const std::string what = "rule " + rule_->id;
  for (const LazyRegex* regex : {&regex_, &allow_, &called_, &not_called_, &near_}) TURNLOG_TRY(Check(what, *regex));
  if (regex_ && group() < kMaxGroups && group() <= static_cast<std::size_t>(regex_->NumberOfCapturingGroups()))
    return {};
  return std::unexpected(Error{ErrorCode::kInvalidArgument, what + ": the expression has no such group"});
}

std::size_t CompiledRule::group() const {
  return rule_->group ? *rule_->group : static_cast<std::size_t>(std::min(regex_->NumberOfCapturingGroups(), 1));
}

// Within a long run of letters and dashes, where a long match could be tried at every dash, only the first counts.
bool CompiledRule::MayBeginAt(std::string_view text, std::size_t at) const {
  constexpr std::size_t kLong = 2048;
  if (!rule_->needs.empty() && !text.substr(at, rule_->after).contains(rule_->needs)) return false;
  if (!at_boundary_ || at == 0) return true;
  if (IsWordCharacter(text[at - 1])) return !IsWordCharacter(text[at]);
  return rule_->after < kLong || text[at - 1] != '-' || at == 1 || !IsWordCharacter(text[at - 2]);
}

std::optional<TextSpan> CompiledRule::Match(std::string_view text, TextSpan window, bool anchored,
                                            TextSpan& match) const {
  re2::StringPiece groups[kMaxGroups];
  const std::size_t group = this->group();
  for (std::size_t size = window.size();; size *= 2) {
    const std::size_t end = std::min(text.size(), window.begin + size);
    if (!regex_->Match(Piece(text), window.begin, end, anchored ? RE2::ANCHOR_START : RE2::UNANCHORED, groups,
                       static_cast<int>(group) + 1))
      return std::nullopt;
    match = SpanOf(text, groups[0]);
    if (match.end < end || end == text.size()) break;
  }
  const re2::StringPiece& secret = groups[group].data() != nullptr ? groups[group] : groups[0];
  return SpanOf(text, secret);
}

std::optional<TextSpan> CompiledRule::MatchNamed(std::string_view text, const NamedValue& named) const {
  if ((forms_ >> static_cast<unsigned>(named.form) & 1) == 0) return std::nullopt;
  const std::string_view value = text.substr(named.value.begin, named.value.size());
  const std::size_t group = this->group();
  if (group == 0 && !PassesCheck(rule_->check, value)) return std::nullopt;  // cheaper than what follows
  re2::StringPiece groups[kMaxGroups];
  if (!regex_->Match(Piece(value), 0, value.size(), RE2::ANCHOR_BOTH, groups, static_cast<int>(group) + 1) ||
      !IsCalledRight(text, named.name))
    return std::nullopt;
  return SpanOf(text, groups[group]);
}

bool CompiledRule::IsCalledRight(std::string_view text, TextSpan name) const {
  constexpr std::size_t kNear = 120;
  const std::string_view identifier = text.substr(name.begin, name.size());
  if (called_ && !IsIn(called_, identifier)) return false;
  if (IsIn(not_called_, WithWordBefore(text, name)) || IsOfBadge(text, name)) return false;
  return !near_ || IsIn(near_, text.substr(name.begin - std::min(name.begin, kNear), std::min(name.begin, kNear)));
}

bool CompiledRule::Passes(std::string_view secret) const {
  return Entropy(secret) >= rule_->entropy && PassesCheck(rule_->check, secret) && !IsIn(allow_, secret);
}

Result<std::unique_ptr<CompiledRules>> CompiledRules::Make(SecretRules rules) {
  auto compiled = std::unique_ptr<CompiledRules>(new CompiledRules());
  compiled->rules_ = std::move(rules);
  compiled->allow_ = AnyOf(compiled->rules_.allow);
  TURNLOG_TRY(Check("allow", compiled->allow_));
  compiled->placeholders_ = AnyOf(compiled->rules_.placeholders);
  TURNLOG_TRY(Check("placeholders", compiled->placeholders_));
  std::map<std::string, std::vector<Use>> uses;
  for (std::size_t rule = 0; rule < compiled->rules_.rules.size(); ++rule) {
    const SecretRule& spec = compiled->rules_.rules[rule];
    compiled->compiled_.push_back(TURNLOG_TRY(CompiledRule::Make(spec)));
    for (std::size_t keyword = 0; keyword < spec.keywords.size(); ++keyword) {
      std::string text = spec.keywords[keyword];
      std::ranges::transform(text, text.begin(),
                             [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
      auto& of_keyword = uses[std::move(text)];
      if (of_keyword.empty() || of_keyword.back().rule != rule) of_keyword.push_back({rule, keyword});
    }
  }
  compiled->AddEscapedKeywords(uses);
  std::vector<std::string> keywords;
  for (auto& [keyword, of_keyword] : uses) {
    keywords.push_back(keyword);
    compiled->uses_.push_back(std::move(of_keyword));
  }
  compiled->finder_.emplace(keywords);
  return compiled;
}

void CompiledRules::AddEscapedKeywords(std::map<std::string, std::vector<Use>>& uses) {
  std::vector<std::string> escaped;
  for (const auto& [keyword, of_keyword] : uses) {
    const auto forms = EscapedForms(keyword);
    if (!forms) finds_escaped_ = false;
    if (forms) std::ranges::copy(*forms, std::back_inserter(escaped));
  }
  for (std::string& form : escaped) uses.try_emplace(std::move(form));
}

bool CompiledRules::IsAllowed(std::string_view secret) const {
  return IsIn(allow_, secret) || IsPlaceholder(secret) || IsTyped(secret) || IsMaskedExample(secret) ||
         IsSentence(secret) || IsExampleBasicAuth(secret);
}

bool CompiledRules::IsPlaceholder(std::string_view secret) const {
  constexpr std::size_t kMinRest = 20;
  constexpr double kMinEntropy = 3.5;
  if (!IsIn(placeholders_, secret)) return false;
  SecretString rest;
  re2::StringPiece word;
  while (placeholders_->Match(Piece(secret), 0, secret.size(), RE2::UNANCHORED, &word, 1) && !word.empty()) {
    const TextSpan span = SpanOf(secret, word);
    rest.Append(secret.substr(0, span.begin));
    secret.remove_prefix(span.end);
  }
  rest.Append(secret);
  return rest.size() < kMinRest || !LooksRandom(rest.view()) || Entropy(rest.view()) < kMinEntropy;
}

}  // namespace turnlog
