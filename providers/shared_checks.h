// What several APIs require in the same way.
#pragma once

#include <string_view>
#include <vector>

#include "providers/checks.h"

namespace turnlog {

// The string in a field; empty if it is something else.
std::string_view TextOf(const JsonNode& object, std::string_view name);
// The elements of an array; none of anything else.
const std::vector<JsonNode>& ElementsOf(const JsonNode* array);

bool IsBlank(std::string_view text);

// Adds a finding and returns false unless the field is a string.
bool RequireString(const JsonNode& object, std::string_view name, Findings& findings);

// Of OpenAI's messages: a text or an array of parts. Returns the parts, none of a text or of anything else.
const std::vector<JsonNode>& CheckContent(const JsonNode& message, Findings& findings);
void CheckToolName(Provider provider, const JsonNode& call, std::string_view field, Findings& findings);
void CheckCallId(Provider provider, const JsonNode& call, std::string_view field, Findings& findings);
// Of a signature or encrypted content. `is_token`: OpenAI's form is expected.
void CheckSealed(const JsonNode& value, bool is_token, Findings& findings);

}  // namespace turnlog
