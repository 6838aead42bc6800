#include "sanitize/secrets/secret_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <ranges>
#include <utility>

#include "base/count_lines.h"
#include "base/file_system.h"
#include "base/try.h"
#include "sanitize/secrets/keyword_finder.h"
#include "sanitize/secrets/secret_regex.h"
#include "sanitize/secrets/secret_rules_json.h"
#include "sanitize/secrets/secret_values.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

constexpr std::size_t kMaxReach = std::size_t{1} << 16;

constexpr std::pair<std::string_view, SecretCheck> kChecks[] = {
    {"not-words", SecretCheck::kNotWords},
    {"jwt", SecretCheck::kJwt},
    {"basic", SecretCheck::kBasic},
    {"random", SecretCheck::kRandom},
    {"opaque", SecretCheck::kOpaque},
    {"issued", SecretCheck::kIssued},
    {"base64", SecretCheck::kBase64Text},
    {"password", SecretCheck::kPassword},
    {"strong-password", SecretCheck::kStrongPassword},
    {"seed-phrase", SecretCheck::kSeedPhrase},
    {"unlike-words", SecretCheck::kUnlikeWords},
    {"key-block", SecretCheck::kKeyBlock},
};

class Parser {
 public:
  // `trusted`: the expressions are valid.
  Parser(std::string_view json, std::string_view file, SecretRules& rules, bool trusted = false)
      : json_(json), file_(file), rules_(rules), trusted_(trusted) {}

  Status Parse() {
    if (const auto fault = FindJsonFault(json_)) return Fault(json_.substr(fault->byte), fault->what);
    bool versioned = false;
    TURNLOG_TRY(Fields(json_.substr(SkipJsonSpace(json_, 0)), [&](const JsonFields& field) -> Status {
      if (field.KeyIs("version")) {
        versioned = true;
        return field.value() == "1" ? Status() : Fault(field.value(), "`version` must be 1");
      }
      if (field.KeyIs("allow")) return Expressions(field.value(), rules_.allow);
      if (field.KeyIs("placeholders")) return Expressions(field.value(), rules_.placeholders);
      if (field.KeyIs("disable")) return Disable(field.value());
      if (field.KeyIs("rules")) return Rules(field.value());
      return Fault(field.key(), "unknown field; expected `version`, `allow`, `placeholders`, `disable` or `rules`");
    }));
    if (!versioned) return Fault(json_, "`version` is missing");
    rules_.rules.insert(rules_.rules.begin(), std::make_move_iterator(added_.begin()),
                        std::make_move_iterator(added_.end()));
    return {};
  }

 private:
  std::unexpected<Error> Fault(std::string_view at, std::string_view what) const {
    const auto line = CountLines(json_.substr(0, static_cast<std::size_t>(at.data() - json_.data()))) + 1;
    return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("{}, line {}: {}", file_, line, what)});
  }

  template <class OnField>
  Status Fields(std::string_view value, OnField on_field) const {
    if (!value.starts_with('{')) return Fault(value, "must be an object");
    for (JsonFields fields(value); fields.Next().value_or(false);) TURNLOG_TRY(on_field(fields));
    return {};
  }

  template <class OnElement>
  Status Elements(std::string_view value, OnElement on_element) const {
    if (!value.starts_with('[')) return Fault(value, "must be an array");
    for (JsonElements elements(value); elements.Next().value_or(false);) TURNLOG_TRY(on_element(elements.value()));
    return {};
  }

  Result<std::string> Text(std::string_view value) const {
    if (!value.starts_with('"')) return Fault(value, "must be a string");
    return UnescapeJson(value);
  }

  template <class Number>
  Result<Number> NumberOf(std::string_view value, Number limit) const {
    Number number{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < Number{} || number > limit)
      return Fault(value, fmt::format("must be a number from 0 to {}", limit));
    return number;
  }

  // Returns the number of its groups.
  Result<std::size_t> CheckExpression(std::string_view value, const std::string& regex) const {
    const RE2 compiled(regex, SecretRegexOptions());
    if (!compiled.ok()) return Fault(value, "not a regular expression: " + compiled.error());
    return static_cast<std::size_t>(compiled.NumberOfCapturingGroups());
  }

  Status Expression(std::string_view value, std::string& to) const {
    to = TURNLOG_TRY(Text(value));
    if (!trusted_) (void)TURNLOG_TRY(CheckExpression(value, to));
    return {};
  }

  Status Expressions(std::string_view value, std::vector<std::string>& to) const {
    return Elements(value, [&](std::string_view element) { return Expression(element, to.emplace_back()); });
  }

  Status Flag(std::string_view value, bool& to) const {
    if (value != "true" && value != "false") return Fault(value, "must be true or false");
    to = value == "true";
    return {};
  }

  Status Forms(std::string_view value, std::vector<ValueForm>& to) const {
    return Elements(value, [&](std::string_view element) -> Status {
      const std::string name = TURNLOG_TRY(Text(element));
      const auto form = std::ranges::find(kValueForms, name);
      if (form == std::end(kValueForms))
        return Fault(element, fmt::format("not one of {}", fmt::join(kValueForms, ", ")));
      to.push_back(static_cast<ValueForm>(form - std::begin(kValueForms)));
      return {};
    });
  }

  Status Disable(std::string_view value) {
    return Elements(value, [&](std::string_view element) -> Status {
      const std::string id = TURNLOG_TRY(Text(element));
      if (std::erase_if(rules_.rules, [&](const SecretRule& rule) { return rule.id == id; }) == 0)
        return Fault(element, "no rule has this id");
      return {};
    });
  }

  Status Rules(std::string_view value) {
    return Elements(value, [&](std::string_view element) -> Status {
      SecretRule rule = TURNLOG_TRY(ParseRule(element));
      const auto same = [&](const SecretRule& other) { return other.id == rule.id; };
      if (std::ranges::any_of(added_, same)) return Fault(element, "another rule has this id already");
      if (const auto known = std::ranges::find_if(rules_.rules, same); known != rules_.rules.end()) {
        *known = std::move(rule);
      } else {
        added_.push_back(std::move(rule));
      }
      return {};
    });
  }

  Result<SecretRule> ParseRule(std::string_view value) const {
    SecretRule rule;
    std::string_view regex;
    TURNLOG_TRY(Fields(value, [&](const JsonFields& field) { return ParseField(field, rule, regex); }));
    if (rule.id.empty() || rule.description.empty() || rule.regex.empty() || rule.keywords.empty())
      return Fault(value, "a rule needs `id`, `description`, `regex`, and `keywords` or `names`");
    if (rule.anchored && rule.before > 0) return Fault(value, "an anchored match has nothing before the keyword");
    if (!rule.anchored && !rule.needs.empty()) return Fault(value, "`needs` is for anchored rules");
    rule.is_valid = true;
    if (trusted_) return rule;
    const std::size_t groups = TURNLOG_TRY(CheckExpression(regex, rule.regex));
    if (rule.group > groups) return Fault(regex, fmt::format("the expression has no group {}", *rule.group));
    return rule;
  }

  Status ParseField(const JsonFields& field, SecretRule& rule, std::string_view& regex) const {
    const std::string_view value = field.value();
    if (field.KeyIs("id")) return Id(value, rule.id);
    if (field.KeyIs("description")) return rule.description = TURNLOG_TRY(Text(value)), Status();
    if (field.KeyIs("source")) return rule.source = TURNLOG_TRY(Text(value)), Status();
    if (field.KeyIs("regex")) return regex = value, rule.regex = TURNLOG_TRY(Text(value)), Status();
    if (field.KeyIs("group")) return rule.group = TURNLOG_TRY(NumberOf<std::size_t>(value, 9)), Status();
    if (field.KeyIs("keywords")) return Keywords(value, rule.keywords);
    if (field.KeyIs("before")) return rule.before = TURNLOG_TRY(NumberOf(value, kMaxReach)), Status();
    if (field.KeyIs("after")) return rule.after = TURNLOG_TRY(NumberOf(value, kMaxReach)), Status();
    if (field.KeyIs("anchored")) return Flag(value, rule.anchored);
    if (field.KeyIs("needs")) return rule.needs = TURNLOG_TRY(Text(value)), Status();
    if (field.KeyIs("names")) return rule.named = true, Keywords(value, rule.keywords);
    if (field.KeyIs("called")) return Expression(value, rule.called);
    if (field.KeyIs("not_called")) return Expression(value, rule.not_called);
    if (field.KeyIs("near")) return Expression(value, rule.near);
    if (field.KeyIs("forms")) return Forms(value, rule.forms);
    if (field.KeyIs("entropy")) return rule.entropy = TURNLOG_TRY(NumberOf<double>(value, 8)), Status();
    if (field.KeyIs("allow")) return Expressions(value, rule.allow);
    if (field.KeyIs("check")) return Check(value, rule.check);
    return Fault(field.key(), "unknown field of a rule");
  }

  Status Id(std::string_view value, std::string& id) const {
    id = TURNLOG_TRY(Text(value));
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    if (id.empty() || id.find_first_not_of(kLetters) != std::string::npos)
      return Fault(value, "an id may only contain a-z, 0-9 and -");
    if (std::ranges::find(kOtherRules, id) != kOtherRules.end())
      return Fault(value, "this id stands for values that no rule finds");
    return {};
  }

  Status Keywords(std::string_view value, std::vector<std::string>& keywords) const {
    return Elements(value, [&](std::string_view element) -> Status {
      keywords.push_back(TURNLOG_TRY(Text(element)));
      if (keywords.back().size() < kMinKeyword)
        return Fault(element, fmt::format("a keyword must have at least {} bytes", kMinKeyword));
      return {};
    });
  }

  Status Check(std::string_view value, SecretCheck& check) const {
    const std::string name = TURNLOG_TRY(Text(value));
    const auto known = std::ranges::find(kChecks, name, &std::pair<std::string_view, SecretCheck>::first);
    if (known == std::end(kChecks))
      return Fault(value, fmt::format("not one of {}", fmt::join(std::views::keys(kChecks), ", ")));
    check = known->second;
    return {};
  }

  std::string_view json_, file_;
  SecretRules& rules_;
  const bool trusted_;
  std::vector<SecretRule> added_;
};

}  // namespace

const SecretRules& BuiltInSecretRules() {
  static const SecretRules rules = [] {
    SecretRules parsed;
    return Parser(kSecretRulesJson, "secret_rules.json", parsed, true).Parse() ? parsed : SecretRules();
  }();
  return rules;
}

Result<SecretRules> LoadSecretRules(const std::filesystem::path& path) {
  if (path.empty()) return BuiltInSecretRules();
  const std::string json = TURNLOG_TRY(ReadInput(path));
  return ParseSecretRules(json, path.string(), BuiltInSecretRules());
}

Result<SecretRules> ParseSecretRules(std::string_view json, std::string_view file, SecretRules base) {
  TURNLOG_TRY(Parser(json, file, base).Parse());
  return base;
}

}  // namespace turnlog
