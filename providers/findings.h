// Collects what the checks of one request find.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/rule_id.h"
#include "schema/json/json_tree.h"

namespace turnlog {

class Findings {
 public:
  // `request`: what the tree was parsed from.
  explicit Findings(std::string_view request) : request_(request) {}

  // The rule must apply to the provider of the request.
  void Add(RuleId rule, const JsonNode& at, std::string detail = {});
  // In the order of the request, each once.
  std::vector<ProviderFinding> Take() &&;

 private:
  std::string_view request_;
  std::vector<ProviderFinding> found_;
};

}  // namespace turnlog
