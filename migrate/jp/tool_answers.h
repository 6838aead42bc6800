// Answers to the questions of a tool, which jp for some weeks wrote beside the arguments of its call.
#pragma once

#include <string_view>

#include "turnlog/json.h"

namespace turnlog {

inline constexpr std::string_view kToolAnswers = "tool_answers";

// Adds `answers`, the JSON of the field, to the arguments of the call under the same name; nothing if it
// is empty. False: the arguments have a field of this name.
bool AddToolAnswers(std::string_view answers, Json& arguments);

// Moves the field `tool_answers` of `fields`, an object or empty, to the arguments, unless they have one.
void TakeToolAnswers(Json& fields, Json& arguments);

}  // namespace turnlog
