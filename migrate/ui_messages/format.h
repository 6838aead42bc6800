// Messages of the Vercel AI SDK in the registry of formats. docs/formats/ui_messages.md describes the formats.
#pragma once

#include "migrate/format.h"

namespace turnlog {

extern const Format kUiMessagesFormat;
extern const Format kModelMessagesFormat;

}  // namespace turnlog
