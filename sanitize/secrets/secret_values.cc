#include "sanitize/secrets/secret_values.h"

#include <algorithm>
#include <utility>

namespace turnlog {

RuleNumber SecretValues::Rule(std::string_view name) {
  const auto number = static_cast<RuleNumber>(std::ranges::find(rules_, name) - rules_.begin());
  if (number == rules_.size()) rules_.emplace_back(name);
  return number;
}

std::vector<std::string> SecretValues::RuleNames(const std::set<RuleNumber>& numbers) const {
  std::vector<std::string> names;
  names.reserve(numbers.size());
  for (const RuleNumber number : numbers) names.push_back(rules_[number]);
  std::ranges::sort(names);
  return names;
}

ValueNumber SecretValues::Add(std::string_view value, RuleNumber rule, std::string why) {
  if (const auto known = numbers_.find(value); known != numbers_.end()) return known->second;
  const auto number = static_cast<ValueNumber>(values_.size());
  numbers_.emplace(values_.emplace_back(value).view(), number);
  rule_of_.push_back(rule);
  why_of_.push_back(std::move(why));
  longest_ = std::max(longest_, value.size());
  return number;
}

SecretValues::Numbers SecretValues::Add(const SecretValues& others) {
  Numbers numbers;
  for (const std::string& name : others.rules_) numbers.rules.push_back(Rule(name));
  for (ValueNumber value = 0; value < others.size(); ++value) {
    const RuleNumber rule = numbers.rules[others.RuleOf(value)];
    numbers.values.push_back(Add(others.all()[value].view(), rule, others.WhyOf(value)));
  }
  return numbers;
}

}  // namespace turnlog
