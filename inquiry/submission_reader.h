// Reads what a model submitted, field by field, and notes what is wrong with it instead of stopping.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/json/json_tree.h"
#include "turnlog/event.h"
#include "turnlog/inquiry/submission.h"

namespace turnlog {

class SubmissionReader {
 public:
  void Note(std::string_view code, std::string path, std::string message) {
    problems_.push_back({std::string(code), std::move(path), std::move(message)});
  }
  std::vector<SubmissionProblem> Take() && { return std::move(problems_); }
  bool clean() const { return problems_.empty(); }

  // The elements of the array `questions`, the only field of the arguments; null after a problem.
  const std::vector<JsonNode>* Questions(const JsonNode& arguments);
  // Whether it is an object; notes fields that are none of these, and fields given twice.
  bool IsObject(const JsonNode& node, const std::string& path, std::initializer_list<std::string_view> fields);
  // The field as text that is not blank; none after a problem, which a missing one is unless it is optional.
  std::optional<std::string> Text(const JsonNode& object, const std::string& path, std::string_view field,
                                  bool optional = false);
  // Notes an option that says what every question offers by itself.
  void RefuseOther(std::string_view label, const std::string& path);
  // Strings or {`value`, `description`} as options of a select.
  std::vector<SelectOption> Options(const JsonNode& list, const std::string& path);

 private:
  std::optional<SelectOption> Option(const JsonNode& node, const std::string& path);

  std::vector<SubmissionProblem> problems_;
};

}  // namespace turnlog
