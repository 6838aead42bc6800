// The checks of one request, a function for each API: pure, from the parsed request to findings.
#pragma once

#include <string>

#include "providers/findings.h"
#include "providers/model_name.h"
#include "schema/json/json_tree.h"

namespace turnlog {

struct LintedRequest {
  Provider provider{};
  const JsonNode& body;  // an object, or only the list
  const JsonNode& list;  // of messages, items or contents
  ModelName model;

  bool is_whole() const { return body.is(JsonNode::Kind::kObject); }
};

void CheckAnthropic(const LintedRequest& request, Findings& findings);
void CheckOpenAiChat(const LintedRequest& request, Findings& findings);
void CheckOpenAiResponses(const LintedRequest& request, Findings& findings);
void CheckGemini(const LintedRequest& request, Findings& findings);

}  // namespace turnlog
