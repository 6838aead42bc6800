// The questions of the tool request_user_input as inquiries, and their answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrate/records/json_object.h"
#include "turnlog/event.h"

namespace turnlog {

inline constexpr std::string_view kRequestUserInput = "request_user_input";

struct CodexQuestion {
  std::string id;  // by which the answers name it
  InquiryRequest request;
};

// The questions in the arguments of a call, in their order; what is no valid question is left out.
std::vector<CodexQuestion> ReadCodexQuestions(std::string_view call, const JsonObject& arguments);

// The outcome of one of them; `output`: of the call.
InquiryResponse ReadCodexAnswer(const CodexQuestion& asked, std::string_view output);

}  // namespace turnlog
