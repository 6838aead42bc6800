// What an answer must look like: as a JSON schema for the assistant, and as a check of every answer.
#pragma once

#include <string>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/json.h"
#include "turnlog/result.h"

namespace turnlog {

// What may be asked at all: there is a text, a select has options, a schema is one that can be checked, and a secret
// has no default, which would be a secret in clear. kInvalidArgument otherwise. docs/inquiries.md lists the keywords.
Status CheckQuestion(const Question& question);

// Whether an answer to one is an answer to the other: text, type, options and schema are the same.
bool SameQuestion(const Question& left, const Question& right);

// Whether the answer is one that the question takes. kInvalidArgument: it is not; the message says why and does not
// quote it.
Status CheckAnswer(const AnswerType& type, const Json& answer);

// REQUIRES: it is one. The same answer, with options as the question has them: 1 for 1.0.
Json CanonicalAnswer(const AnswerType& type, const Json& answer);

// Whether they are the same answer: of a multi_select, in any order.
bool SameAnswer(const AnswerType& type, const Json& left, const Json& right);

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
