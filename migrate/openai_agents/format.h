// Sessions and run states of the OpenAI Agents SDK in the registry of formats. docs/formats/openai_agents.md describes
// the format.
#pragma once

#include "migrate/format.h"

namespace turnlog {

extern const Format kOpenAiAgentsFormat;

}  // namespace turnlog
