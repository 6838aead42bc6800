// What a tool's error says when a question of the tool was answered with no.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/turn_state.h"

namespace turnlog {

// `false` to a boolean question. Other answers never reject anything.
bool IsRejection(const AnswerType& type, const Json& answer);

// A tool's error, followed by what its own questions came to: for each whose last attempt was answered with no or
// cancelled, who that was, why, and what the model can do about it. Without any, `content` as it is.
std::string ExplainToolError(std::string_view content, std::span<const InquiryState* const> inquiries);

}  // namespace turnlog
