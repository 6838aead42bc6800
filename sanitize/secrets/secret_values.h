// The values of a redaction, each once, with the rule that found it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_string.h"

namespace turnlog {

// An index into SecretValues::rules().
using RuleNumber = std::uint32_t;
using ValueNumber = std::uint32_t;

// Rules other than those of the detector.
inline constexpr std::string_view kSecretAnswerRule = "secret-answer";
inline constexpr std::string_view kSecretQuestionRule = "secret-question";
inline constexpr std::string_view kInquiryAnswerRule = "inquiry-answer";
inline constexpr std::string_view kGivenValueRule = "given-value";
inline constexpr std::string_view kFingerprintRule = "import-fingerprint";
inline constexpr std::string_view kArgumentsHashRule = "arguments-hash";
inline constexpr std::array kOtherRules{kSecretAnswerRule, kSecretQuestionRule, kInquiryAnswerRule,
                                        kGivenValueRule,   kFingerprintRule,    kArgumentsHashRule};

// Wipes its contents at the end.
class SecretValues {
 public:
  RuleNumber Rule(std::string_view name);
  const std::string& rule(RuleNumber number) const { return rules_[number]; }
  std::vector<std::string> RuleNames(const std::set<RuleNumber>& numbers) const;  // sorted

  // The number of a searchable value (see WhyNotSearchable), known or new. `why` it is a secret, without the value.
  ValueNumber Add(std::string_view value, RuleNumber rule, std::string why);

  // The numbers here of what has others in a second set, by those.
  struct Numbers {
    std::vector<RuleNumber> rules;
    std::vector<ValueNumber> values;
  };
  // Adds the rules and values that are missing here.
  Numbers Add(const SecretValues& others);

  std::size_t size() const { return values_.size(); }
  std::span<const SecretString> all() const { return values_; }
  RuleNumber RuleOf(ValueNumber value) const { return rule_of_[value]; }
  const std::string& WhyOf(ValueNumber value) const { return why_of_[value]; }
  std::size_t longest() const { return longest_; }

 private:
  std::vector<std::string> rules_;
  std::vector<SecretString> values_;
  std::vector<RuleNumber> rule_of_;
  std::vector<std::string> why_of_;
  std::map<std::string_view, ValueNumber> numbers_;  // of texts in values_
  std::size_t longest_ = 0;
};

}  // namespace turnlog
