// What is wrong with questions that a model submitted, in a form in which it can mend all of it at once.
#pragma once

#include <span>
#include <string>

#include "turnlog/json.h"

namespace turnlog {

struct SubmissionProblem {
  std::string code;     // e.g. "duplicate_id"; stable
  std::string path;     // e.g. "questions[1].id"
  std::string message;  // for the model; names ids, quotes no other values
  bool operator==(const SubmissionProblem&) const = default;
};

// {"error":"invalid_questions","problems":[{"code","path","message"},...]}, for the tool's error result.
Json ToJson(std::span<const SubmissionProblem> problems);

}  // namespace turnlog
