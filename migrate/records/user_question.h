// The questions of other agents to their users as inquiries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrate/records/json_object.h"
#include "turnlog/event.h"

namespace turnlog {

// A question {"question","header","multiSelect" or "multiple","isSecret","options":[{"label","description","preview"}]}
// of the assistant to the user, who may also give an answer of his own. Nothing if it is not valid.
std::optional<InquiryRequest> ReadUserQuestion(std::string_view call, std::string_view question_id,
                                               const JsonObject& asked);

// The questions q1, q2, ... in the field `questions` of the call's arguments. None if one of them is not valid, because
// their answers are found by position.
std::vector<InquiryRequest> ReadUserQuestions(std::string_view call, const JsonObject& arguments);

// Whether the text is the label of an option.
bool IsOption(const Question& question, std::string_view text);

// By the user; `note` beside the answer.
InquiryResponse AnsweredInquiry(const InquiryRequest& asked, Json answer, std::optional<std::string> note);
InquiryResponse CancelledInquiry(const InquiryRequest& asked, std::string_view reason, bool by_user);

}  // namespace turnlog
