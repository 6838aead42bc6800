// What an answer must look like: for the assistant as a JSON schema, for everybody as a check.
#pragma once

#include <string>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/json.h"
#include "turnlog/result.h"

namespace turnlog {

// Whether the answer is one that the question takes. kInvalidArgument: it is not; the message says why and does not
// quote it. Keywords of JSON schema that are checked: inquiry/json_schema.h.
Status CheckAnswer(const AnswerType& type, const Json& answer);

// For the assistant's structured output: an object of `reason` and then `answer`, both required, so that it thinks
// before it decides. The same for questions of the same type. kInvalidArgument: a secret is none of its business.
Result<Json> AnswerSchema(const AnswerType& type);

// What the assistant is told: who asks, the question with its context and options, and to give a reason.
std::string AssistantPrompt(const InquiryRequest& inquiry);

struct AssistantAnswer {
  std::string reason;
  Json answer;
};

// Takes the assistant's structured output. kInvalidArgument: it does not fit the schema.
Result<AssistantAnswer> ParseAssistantAnswer(const AnswerType& type, std::string_view json);
// What the assistant is told then, so that its next answer may fit.
std::string RejectionText(const Error& error);

}  // namespace turnlog
