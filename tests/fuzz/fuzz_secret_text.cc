// Any text before the detector, and a known value in it: what is found lies in the text, and is gone after a redaction.
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "sanitize/redaction/redacted_text.h"
#include "sanitize/secrets/secret_detector.h"
#include "sanitize/secrets/secret_matcher.h"
#include "sanitize/secrets/secret_rules.h"
#include "schema/json/json_scan.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace turnlog;

constexpr std::string_view kValue = "kJ8#mQ2z!vR5\n\"x";

std::unique_ptr<SecretDetector> NewDetector() {
  auto detector = SecretDetector::Make(BuiltInSecretRules());
  Require(detector.has_value());
  return *std::move(detector);
}

void Detect(std::string_view text) {
  static const std::unique_ptr<SecretDetector> detector = NewDetector();
  std::size_t end = 0;
  for (const FoundSecret& found : detector->Find(text)) {
    Require(found.span.begin >= end && found.span.begin < found.span.end && found.span.end <= text.size());
    Require(!detector->Explain(found).empty() && !detector->rule(found.rule).id.empty());
    end = found.span.end;
  }
}

void Redact(std::string_view text) {
  static const std::array values{SecretString(kValue)};
  static const SecretMatcher matcher(values);
  const auto redacted = RedactText(matcher, text);
  Require(redacted.has_value() == !matcher.Find(text).empty());
  if (redacted) Require(matcher.Find(*redacted).empty());
  if (FindJsonFault(text)) return;
  const auto json = RedactJson(matcher, text);
  if (json) Require(!FindJsonFault(*json) && matcher.Find(*json).empty());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Detect(text);
  Redact(text);
  return 0;
}
