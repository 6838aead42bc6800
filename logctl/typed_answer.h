// Parses a typed answer. An error never contains the value.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// The answer, or why it is invalid.
using ReadAnswer = std::expected<Json, std::string>;

// The answer of a script: for `text` the text itself; else JSON, or the text of an option; for `boolean` also yes and
// no.
ReadAnswer ReadValue(const Question& question, std::string_view text);
// An answer typed at the prompt: the same, and options by number; an empty line is the default, and "" an empty text.
ReadAnswer ReadTyped(const Question& question, std::string_view line);

// "true or false", "one of "a", "b"", ...; printable.
std::string ExpectedAnswer(const Question& question);
// The value of an option, strings without their quotes; printable.
std::string OptionText(const Json& value);

}  // namespace turnlog
