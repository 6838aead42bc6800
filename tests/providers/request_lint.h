// What the rules say about a request, as the tests write it.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/must.h"
#include "turnlog/providers/lint.h"

namespace turnlog {

// "rule at pointer", in the order of the request.
inline std::vector<std::string> Lint(Provider provider, const std::string& request, std::string_view model = {}) {
  std::vector<std::string> found;
  for (const ProviderFinding& finding : Must(LintRequest(provider, request, {.model = model}))) {
    EXPECT_TRUE(finding.rule->AppliesTo(provider)) << finding.rule->id;
    found.push_back(std::string(finding.rule->id) + " at " + finding.pointer);
  }
  return found;
}

}  // namespace turnlog
