#include "transcript/secret_filter.h"

#include <utility>
#include <vector>

#include "base/try.h"
#include "sanitize/redaction/redacted_text.h"
#include "sanitize/redaction/redaction_sources.h"

namespace turnlog {

Result<SecretFilter> SecretFilter::Make(bool keep) {
  if (keep) return SecretFilter(nullptr);
  SecretRules rules = TURNLOG_TRY(LoadSecretRules({}));
  return SecretFilter(TURNLOG_TRY(SecretDetector::Make(std::move(rules))));
}

namespace {

std::vector<TextSpan> FindSpansIn(const SecretDetector& detector, std::string_view text) {
  std::vector<TextSpan> spans;
  for (const FoundSecret& found : FindUnredacted(detector, text)) spans.push_back(found.span);
  return spans;
}

}  // namespace

std::string SecretFilter::Text(std::string_view text) {
  if (keeps()) return std::string(text);
  found_ += FindSpansIn(*detector_, text).size();
  const auto find = [this](std::string_view part) { return FindSpansIn(*detector_, part); };
  return RedactText(find, text).value_or(std::string(text));
}

std::string SecretFilter::Json(std::string_view json) {
  if (keeps()) return std::string(json);
  found_ += FindSpansIn(*detector_, json).size();
  const auto find = [this](std::string_view part) { return FindSpansIn(*detector_, part); };
  return RedactJson(find, json).value_or(std::string(json));
}

}  // namespace turnlog
