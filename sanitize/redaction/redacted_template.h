// Removes values from the templates of imported records (Event::source_text), so that these can still be exported.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sanitize/redaction/redacted_text.h"

namespace turnlog {

// The template with the marks for the texts of events, but not the values; nothing if that cannot be done. Valid JSON
// stays valid. REQUIRES: `find` finds something in it.
std::optional<std::string> RedactTemplate(const FindSpans& find, std::string_view source_text);

}  // namespace turnlog
