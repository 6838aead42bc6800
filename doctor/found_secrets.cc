#include "doctor/found_secrets.h"

#include <utility>
#include <vector>

#include "base/try.h"
#include "sanitize/redaction/redacted_text.h"
#include "sanitize/secrets/opaque_values.h"
#include "sanitize/secrets/secret_detector.h"

namespace turnlog {

SessionSecrets::SessionSecrets(std::unique_ptr<SecretDetector> detector) : detector_(std::move(detector)) {}
SessionSecrets::SessionSecrets(SessionSecrets&& other) noexcept = default;
SessionSecrets& SessionSecrets::operator=(SessionSecrets&& other) noexcept = default;
SessionSecrets::~SessionSecrets() = default;

Result<SessionSecrets> SessionSecrets::Make() {
  return SessionSecrets(TURNLOG_TRY(SecretDetector::Make(BuiltInSecretRules())));
}

void SessionSecrets::Count(std::string_view record, std::uint64_t line,
                           std::map<std::string, SecretCount>& by_rule) const {
  for (const FoundSecret& secret : detector_->Find(record)) {
    if (OpaqueAround(record, secret.span)) continue;
    SecretCount& found = by_rule[detector_->rule(secret.rule).id];
    if (found.count++ == 0) found.line = line;
  }
}

std::vector<TextSpan> SessionSecrets::SpansIn(std::string_view text) const {
  std::vector<TextSpan> spans;
  for (const FoundSecret& secret : detector_->Find(text)) {
    if (!OpaqueAround(text, secret.span)) spans.push_back(secret.span);
  }
  return spans;
}

void SessionSecrets::ForEach(std::string_view text, const std::function<void(std::string_view value)>& visit) const {
  for (const TextSpan& span : SpansIn(text)) visit(text.substr(span.begin, span.end - span.begin));
}

std::optional<std::string> SessionSecrets::Redact(std::string_view record) const {
  return RedactJson([this](std::string_view text) { return SpansIn(text); }, record);
}

std::optional<std::string> SessionSecrets::RedactAnyText(std::string_view text) const {
  return RedactText([this](std::string_view some) { return SpansIn(some); }, text);
}

}  // namespace turnlog
