// The texts that jp writes in base64.
#pragma once

#include <string>

#include "turnlog/json.h"

namespace turnlog {

// Decodes each string value that is canonical base64 of valid UTF-8, at any depth; others are kept as they are.
void DecodeJpStrings(Json& json);

// The content of a tool result; older versions of jp wrote it with the URL-safe alphabet.
void DecodeJpContent(std::string& content);

}  // namespace turnlog
