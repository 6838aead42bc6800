// Answers as people and scripts write them.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// The answer, or why the text is none: for people, and it never contains the text.
using ReadAnswer = std::expected<Json, std::string>;

// The answer of a script: for `text` and `secret` the text itself; else JSON, or the text of an option; for `boolean`
// also yes and no.
ReadAnswer ReadValue(const Question& question, std::string_view text);
// An answer typed at a prompt: the same, and options by number; an empty line is the default, and "" an empty text.
ReadAnswer ReadTyped(const Question& question, std::string_view line);

// "true or false", "one of "a", "b"", ...; safe to show on a terminal.
std::string ExpectedAnswer(const Question& question);
// The value of an option, strings without their quotes; safe to show on a terminal.
std::string OptionText(const Json& value);

}  // namespace turnlog
