// What the name of a model says about its generation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace turnlog {

class ModelName {
 public:
  explicit ModelName(std::string_view name) : name_(name) {}

  // Whether the name has this family, e.g. "claude" or "gemini", and a lower version. Unknown names count as new.
  bool IsBefore(std::string_view family, int major, int minor) const;
  // Of OpenAI's reasoning models: gpt-5 and later, o1, o3 and the like, codex.
  bool ReasonsAtOpenAi() const;

 private:
  std::string name_;
};

}  // namespace turnlog
