// What a person or program says about questions that wait: the body of a request. It may hold a secret, so it is read
// where it lies.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/result.h"

namespace turnlog {

struct AnswerBody {
  std::optional<std::string> inquiry;  // its id; not needed if only one waits
  std::string_view answer;             // JSON, within the body; empty if there is none
  struct ByText {
    std::string question;
    std::string_view answer;
  };
  std::vector<ByText> answers;  // by the text of the question
  std::string_view arguments;   // a JSON object, within the body, in place of those of a call to approve; empty if none
  std::string note;
  std::string reason;  // of a cancellation
  bool remember = false, decline = false;
  std::optional<std::string> who;
  std::string via = "api";
};

// kInvalidArgument: the body is no JSON object, or a field is unknown or of the wrong type; the message quotes no
// value.
Result<AnswerBody> ReadAnswerBody(std::string_view json);

}  // namespace turnlog
