// Sessions of Gemini CLI in the registry of formats. docs/formats/gemini.md describes the format.
#pragma once

#include "migrate/format.h"

namespace turnlog {

extern const Format kGeminiFormat;
// For writing sessions: exporting in the format `gemini` writes requests.
extern const Format kGeminiCliFormat;

}  // namespace turnlog
