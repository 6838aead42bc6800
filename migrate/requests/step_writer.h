// Writes a dialogue step by step, in the format of one target: the body of a request, or a session of a tool.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/requests/dialogue.h"

namespace turnlog {

// One for each target. Each step becomes the same text whatever follows it.
class StepWriter {
 public:
  virtual ~StepWriter() = default;

  // What precedes all steps. `model`: that it is for; empty: none is named.
  virtual std::string Begin(std::string_view model) = 0;
  // What follows all steps. `tools`: the names that calls have.
  virtual std::string End(const std::vector<std::string>& tools) = 0;
  virtual void Request(const UserText& text) = 0;
  // REQUIRES: there are parts; those of calls have their final ids and names.
  virtual void Model(const DialogueStep& step) = 0;
  // Called after Model with the same step, if it has results.
  virtual void Results(const DialogueStep& step) = 0;
  // Which sealed value this target can open, if it is of the model.
  virtual bool Opens(const ModelPart& part, std::string_view model) const = 0;
  // Whether the user has to have the last word.
  virtual bool EndsWithUser() const = 0;

  // What was written since the last call.
  std::string Take() { return std::exchange(out_, {}); }

 protected:
  // Calls `visit` with each call of the step and its result.
  template <class Visit>
  static void ForEachResult(const DialogueStep& step, Visit&& visit) {
    auto result = step.results.begin();
    for (const ModelPart& part : step.parts) {
      if (part.kind == ModelPart::Kind::kCall) visit(part, *result++);
    }
  }

  std::string& out() { return out_; }

 private:
  std::string out_;
};

}  // namespace turnlog
