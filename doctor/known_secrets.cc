#include "doctor/known_secrets.h"

#include <algorithm>
#include <array>

#include "sanitize/redaction/redaction_sources.h"
#include "sanitize/secrets/opaque_values.h"

namespace turnlog {
namespace {

// Whether it is all of a field that a tool needs to load the record. A rule that finds a secret in a text may be wrong:
// the name of a model looks like a password to it.
bool IsNeeded(std::string_view text, const TextSpan& span) {
  constexpr std::array<std::string_view, 3> kFields{"type", "role", "model"};
  std::string_view before = text.substr(0, span.begin);
  const auto take = [&](std::string_view end) {
    const bool is_there = before.ends_with(end);
    if (is_there) before.remove_suffix(end.size());
    return is_there;
  };
  if (!text.substr(span.end).starts_with('"') || !(take(":\"") || take(": \"")) || !take("\"")) return false;
  return std::ranges::any_of(kFields, [&](std::string_view field) {
    return before.ends_with(field) && before.substr(0, before.size() - field.size()).ends_with('"');
  });
}

}  // namespace

void KnownSecrets::Add(std::string_view value, std::string_view rule) {
  const std::string_view trimmed = TrimValue(value);
  if (!WhyNotSearchable(trimmed)) values_.Add(trimmed, values_.Rule(rule), {});
}

std::vector<std::string_view> KnownSecrets::values() const {
  std::vector<std::string_view> values;
  for (const SecretString& value : values_.all()) values.push_back(value.view());
  return values;
}

void KnownSecrets::Prepare() {
  if (values_.size() == (prepared_ ? prepared_->rules.size() : 0)) return;
  prepared_.emplace(SecretMatcher(values_.all()), std::vector<std::string>());
  for (ValueNumber value = 0; value < values_.size(); ++value) {
    prepared_->rules.push_back(values_.rule(values_.RuleOf(value)));
  }
}

std::vector<TextSpan> KnownSecrets::Find(std::string_view text) const {
  if (!prepared_) return {};
  std::vector<TextSpan> spans = prepared_->matcher.Find(text);
  std::erase_if(spans, [&](const TextSpan& span) { return IsNeeded(text, span) || OpaqueAround(text, span); });
  return spans;
}

void KnownSecrets::ForEachRule(std::string_view text, const std::function<void(const std::string& rule)>& visit) const {
  if (!prepared_) return;
  for (const std::size_t value : prepared_->matcher.FindValues(text)) visit(prepared_->rules[value]);
}

}  // namespace turnlog
