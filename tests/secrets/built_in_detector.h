// The detector with the rules that are built in, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sanitize/secrets/secret_detector.h"

namespace turnlog {

inline const SecretDetector& Detector() {
  static const auto detector = SecretDetector::Make(BuiltInSecretRules());
  return **detector;
}

inline std::vector<std::string> RulesIn(std::string_view text) {
  std::vector<std::string> rules;
  for (const FoundSecret& found : Detector().Find(text)) rules.push_back(Detector().rule(found.rule).id);
  return rules;
}

}  // namespace turnlog
