// Whom a question is for, as configuration says it: a name or a map.
//   "user" | "assistant" | "assistant_with_escalation"
//   {"model": {"id": "..."}, "escalation": true, ...}   the assistant, with settings of its own
//   {"answer": ..., "question": "..."}                  no responder: the answer is known. With `question`, it is for
//   the
//                                                       question of this id alone; an answer to a secret must say so
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "turnlog/json.h"
#include "turnlog/result.h"

namespace turnlog {

enum class TargetKind : std::uint8_t {
  kUser,
  kAssistant,
  kAssistantWithEscalation,  // the assistant, and the user if it says no
  kStatic,
};

struct Target {
  TargetKind kind = TargetKind::kUser;
  Json settings;                             // assistants: the map without `escalation`; none if nothing is said
  Json answer;                               // kStatic: always
  std::optional<std::string> question = {};  // kStatic: the id of the question that it was given for
  bool operator==(const Target&) const = default;

  // What the settings say: `model`, or its `id`.
  std::optional<std::string> model() const;
};

// kInvalidArgument: not one of the forms; the message names the field.
Result<Target> ParseTarget(std::string_view json);
Json ToJson(const Target& target);

}  // namespace turnlog
