#include "doctor/known_secrets.h"

#include <algorithm>
#include <array>

#include "sanitize/redaction/redaction_sources.h"
#include "sanitize/secrets/opaque_values.h"

namespace turnlog {
namespace {

// What tools need to find and load a record, and what providers check. A value that a rule has found may be one of
// these as well: the password of a database is often its name, which is the name of the project.
constexpr std::array<std::string_view, 20> kNeededFields{
    "cwd",   "directory", "fullPath",  "gitBranch",    "id",         "messageID", "message_id",
    "model", "modelID",   "name",      "originalPath", "parentUuid", "project",   "projectPath",
    "role",  "sessionID", "sessionId", "stop_reason",  "type",       "uuid"};
constexpr std::size_t kLongestNeeded = 4096;  // such a value is short

bool IsEscaped(std::string_view text, std::size_t at) {
  std::size_t backslashes = 0;
  while (backslashes < at && text[at - 1 - backslashes] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

// The quote that begins the string of which text[at] is a part; npos: it is none, or a long one.
std::size_t BeginOfString(std::string_view text, std::size_t at) {
  const std::size_t last = at - std::min(at, kLongestNeeded);
  while (at > last) {
    --at;
    if (text[at] == '"' && !IsEscaped(text, at)) return at;
  }
  return std::string_view::npos;
}

// The quote that ends it; npos as above.
std::size_t EndOfString(std::string_view text, std::size_t at) {
  const std::size_t last = std::min(text.size(), at + kLongestNeeded);
  for (; at < last; ++at) {
    if (text[at] == '"' && !IsEscaped(text, at)) return at;
  }
  return std::string_view::npos;
}

// The name of the field whose value begins at text[at]; empty: it is an element of a list.
std::string_view FieldBefore(std::string_view text, std::size_t at) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::string_view before = text.substr(0, at);
  const auto skip_space = [&] { before = before.substr(0, before.find_last_not_of(kSpace) + 1); };
  skip_space();
  if (!before.ends_with(':')) return {};
  before.remove_suffix(1);
  skip_space();
  if (!before.ends_with('"')) return {};
  before.remove_suffix(1);
  const std::size_t begin = BeginOfString(before, before.size());
  return begin == std::string_view::npos ? std::string_view() : before.substr(begin + 1);
}

// Whether it is a part of the name of a field, or of a value that is needed as it is. `text` is JSON, or any text.
bool IsNeeded(std::string_view text, const TextSpan& span) {
  const std::size_t begin = BeginOfString(text, span.begin), end = EndOfString(text, span.end);
  if (begin == std::string_view::npos || end == std::string_view::npos) return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n", end + 1);
  if (next != std::string_view::npos && text[next] == ':') return true;
  const std::string_view field = FieldBefore(text, begin);
  return std::ranges::find(kNeededFields, field) != kNeededFields.end();
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
