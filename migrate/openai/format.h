// Message and item lists of OpenAI's API in the registry of formats. docs/formats/message_lists.md describes them.
#pragma once

#include "migrate/format.h"

namespace turnlog {

extern const Format kOpenAiFormat;

}  // namespace turnlog
