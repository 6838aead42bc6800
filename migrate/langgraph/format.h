// Checkpoints of LangGraph in the registry of formats. docs/formats/langgraph.md describes the format.
#pragma once

#include "migrate/format.h"

namespace turnlog {

extern const Format kLangGraphFormat;

}  // namespace turnlog
