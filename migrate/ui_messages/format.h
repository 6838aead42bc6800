// Chats of the Vercel AI SDK in the registry of formats. docs/formats/ui_messages.md describes the format.
#pragma once

#include "migrate/format.h"

namespace turnlog {

extern const Format kUiMessagesFormat;

}  // namespace turnlog
