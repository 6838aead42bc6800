// The questions of the tool AskUserQuestion as inquiries, and their answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrate/claude_code/denial.h"
#include "migrate/records/json_object.h"
#include "turnlog/event.h"

namespace turnlog {

inline constexpr std::string_view kAskUserQuestion = "AskUserQuestion";

// The questions in the arguments of a call, in their order; what is no valid question is left out.
std::vector<InquiryRequest> ReadClaudeQuestions(std::string_view call, const JsonObject& arguments);

// What the result of such a call says.
struct ClaudeAnswers {
  const JsonObject& object;  // the structured result, which may have no fields
  std::string_view text;     // what the model was told
  bool is_error = false;
  ClaudeRefusal refusal = {};
};

// The outcome of one of the questions of a call.
InquiryResponse ReadClaudeAnswer(const InquiryRequest& asked, const std::vector<InquiryRequest>& all,
                                 const ClaudeAnswers& given);

}  // namespace turnlog
