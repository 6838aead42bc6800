// The items of OpenAI's Responses, as its API and Codex' sessions have them. Items have no ids: nothing refers to what
// the provider has stored.
#pragma once

#include <string_view>

#include "migrate/requests/dialogue.h"
#include "schema/json/json_writer.h"

namespace turnlog {

// Each writes the fields of one object. `role`: user or assistant.
void WriteMessageItem(std::string_view role, std::string_view text, JsonWriter& json);
void WriteReasoningItem(const ModelPart& part, JsonWriter& json);
void WriteCallItem(const ModelPart& call, JsonWriter& json);
void WriteOutputItem(const ModelPart& call, const CallResult& result, JsonWriter& json);

// Whether the seal of the part has the form of OpenAI's.
bool OpensAtOpenAi(const ModelPart& part);

}  // namespace turnlog
