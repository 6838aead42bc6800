#include "doctor/found_secrets.h"

#include <utility>
#include <vector>

#include "base/try.h"
#include "sanitize/redaction/redacted_text.h"
#include "sanitize/redaction/redaction_sources.h"
#include "sanitize/secrets/secret_detector.h"

namespace turnlog {

SessionSecrets::SessionSecrets(std::unique_ptr<SecretDetector> detector) : detector_(std::move(detector)) {}
SessionSecrets::SessionSecrets(SessionSecrets&& other) noexcept = default;
SessionSecrets& SessionSecrets::operator=(SessionSecrets&& other) noexcept = default;
SessionSecrets::~SessionSecrets() = default;

Result<SessionSecrets> SessionSecrets::Make() {
  return SessionSecrets(TURNLOG_TRY(SecretDetector::Make(BuiltInSecretRules())));
}

void SessionSecrets::Count(std::string_view record, std::uint64_t line, const KnownSecrets& known,
                           std::map<std::string, SecretCount>& by_rule) const {
  const auto add = [&](const std::string& rule) {
    SecretCount& found = by_rule[rule];
    if (found.count++ == 0) found.line = line;
  };
  const std::vector<FoundSecret> found = FindUnredacted(*detector_, record);
  for (const FoundSecret& secret : found) add(detector_->rule(secret.rule).id);
  if (found.empty()) known.ForEachRule(record, add);
}

void SessionSecrets::ForEach(std::string_view text, const std::function<void(std::string_view value)>& visit) const {
  for (const FoundSecret& secret : FindUnredacted(*detector_, text)) {
    visit(text.substr(secret.span.begin, secret.span.end - secret.span.begin));
  }
}

std::vector<TextSpan> SessionSecrets::Find(std::string_view text, KnownSecrets& known) const {
  std::vector<TextSpan> spans = known.Find(text);
  for (const FoundSecret& secret : FindUnredacted(*detector_, text)) {
    known.Add(secret.value.view(), detector_->rule(secret.rule).id);
    spans.push_back(secret.span);
  }
  return MergeSpans(std::move(spans));
}

std::optional<std::string> SessionSecrets::Redact(std::string_view record, KnownSecrets& known) const {
  return RedactJson([&](std::string_view text) { return Find(text, known); }, record);
}

std::optional<std::string> SessionSecrets::RedactAnyText(std::string_view text, KnownSecrets& known) const {
  return RedactText([&](std::string_view some) { return Find(some, known); }, text);
}

}  // namespace turnlog
