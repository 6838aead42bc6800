// What is said when somebody said no.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/turn_state.h"

namespace turnlog {

// `false` to a boolean question. Other answers never reject anything.
bool IsRejection(const AnswerType& type, const Json& answer);

// The question that the user gets when the assistant has said no: the same, with its reason in the text.
Question EscalatedQuestion(const Question& question, std::string_view reason);

// A tool's error, with what its own questions came to behind it: for each whose last attempt was answered with no or
// cancelled, who that was and why. Without any, `content` as it is.
std::string ExplainToolError(std::string_view content, std::span<const InquiryState* const> inquiries);

}  // namespace turnlog
