// What is recorded beside a question's text, and is shown with it: how far its form has got, and the assistant's no
// that it follows up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// In `extra` of the question: {"form": {"question": 2, "of": 4}}.
struct FormProgress {
  std::uint64_t question = 0, of = 0;
};
// None: it belongs to no form.
std::optional<FormProgress> FindFormProgress(const Question& question);
Question WithFormProgress(Question question, const FormProgress& progress);

// In `extra` of the question: {"rejected": {"reason": "...", "model": "..."}}.
struct AssistantRejection {
  std::string reason;
  std::optional<std::string> model;
};
// None: it follows no rejection up.
std::optional<AssistantRejection> FindRejection(const Question& question);
Question WithRejection(Question question, const AssistantRejection& rejection);

// Who asks: "tool NAME", "assistant", "user", or the name of another source.
std::string AskerText(SourceKind kind, std::string_view name);

// The question's text, with "[2/4] " in front if its form has several questions, and the rejection before that.
std::string PromptText(const Question& question);

}  // namespace turnlog
