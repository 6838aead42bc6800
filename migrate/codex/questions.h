// The questions of the tool request_user_input as inquiries, and their answers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "migrate/records/json_object.h"
#include "turnlog/event.h"

namespace turnlog {

inline constexpr std::string_view kRequestUserInput = "request_user_input";

struct CodexQuestion {
  std::string id;  // by which the answers name it
  InquiryRequest request;
  bool aborted = false;  // it was cancelled with its turn

  bool is_secret() const { return request.question.answer_type.kind == AnswerKind::kSecret; }
};

// The questions in the arguments of a call, in their order; what is no valid question is left out.
std::vector<CodexQuestion> ReadCodexQuestions(std::string_view call, const JsonObject& arguments);

// The output of a call without what was answered to the questions for a secret among `asked`, and these answers.
struct CodexSecrets {
  std::string output;
  std::vector<SecretString> answers;
};
CodexSecrets RemoveSecretAnswers(std::span<const CodexQuestion> asked, std::string_view output);

// The outcome of one of them; `output`: of the call.
InquiryResponse ReadCodexAnswer(const CodexQuestion& asked, std::string_view output);

}  // namespace turnlog
