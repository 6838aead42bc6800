// The blocks of Anthropic's messages, as its API and Claude Code's sessions have them.
#pragma once

#include <string_view>

#include "migrate/requests/dialogue.h"
#include "schema/json/json_writer.h"

namespace turnlog {

// Each writes one object.
void WriteAnthropicBlock(const ModelPart& part, JsonWriter& json);
void WriteAnthropicResult(const ModelPart& call, const CallResult& result, JsonWriter& json);

// Whether the seal of the part has the form of Anthropic's, and `model` accepts it.
bool OpensAtAnthropic(const ModelPart& part, std::string_view model);

}  // namespace turnlog
