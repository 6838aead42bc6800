// The questions of the tool AskUserQuestion as inquiries, and their answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrate/records/json_object.h"
#include "turnlog/event.h"

namespace turnlog {

inline constexpr std::string_view kAskUserQuestion = "AskUserQuestion";

// The questions in the arguments of a call, in their order; what is no valid question is left out.
std::vector<InquiryRequest> ReadClaudeQuestions(std::string_view call, const JsonObject& arguments);

// The outcome of one of them. `result`: the structured result, which may have no fields; `text`: what the model was
// told; `denial`: not null if the call was refused.
InquiryResponse ReadClaudeAnswer(const InquiryRequest& asked, const std::vector<InquiryRequest>& all,
                                 const JsonObject& result, std::string_view text, const Denial* denial, bool is_error);

}  // namespace turnlog
