// From what somebody typed to the answer that they mean. The value is never part of an error.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// The answer, or what was wrong.
using ReadAnswer = std::expected<Json, std::string>;

// What a script gives: for `text` the text itself; else JSON, or a text that stands for an option; for `boolean` also
// yes and no.
ReadAnswer ReadValue(const Question& question, std::string_view text);
// What a person types at the prompt: the same, and options by the number that they are shown with; an empty line is the
// default, and "" an empty text.
ReadAnswer ReadTyped(const Question& question, std::string_view line);

// "true or false", "one of "a", "b"", ...; printable.
std::string ExpectedAnswer(const Question& question);
// The value of an option as people read it, strings without their quotes; printable.
std::string OptionText(const Json& value);

}  // namespace turnlog
