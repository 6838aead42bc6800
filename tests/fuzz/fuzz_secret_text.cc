// Any text before the detector, and a known value in it: what is found lies in the text, and is gone after a redaction.
// A value is found in it whether all escapes are decoded or not.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// A value with a quote makes the matcher decode all escapes.
void FindPlainValue(std::string_view text) {
  static const std::array values{SecretString("hunter2!"), SecretString("k\"J8mQ2z")};
  static const SecretMatcher some(std::span<const SecretString>(values).first(1)), all(values);
  const auto has = [&](const SecretMatcher& matcher) {
    const std::vector<std::size_t> found = matcher.FindValues(text);
    return std::ranges::find(found, std::size_t{0}) != found.end();
  };
  Require(has(some) == has(all));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Detect(text);
  Redact(text);
  FindPlainValue(text);
  return 0;
}
