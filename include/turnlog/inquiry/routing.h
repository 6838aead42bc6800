// Who answers a question: pure functions over who is asked, who is there, and what may be done without them.
// docs/inquiries.md has the table.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "turnlog/inquiry/target.h"

namespace turnlog {

// What is done about questions for the user when no user is present.
enum class DetachedPolicy : std::uint8_t {
  kDeny,      // they fail
  kDefaults,  // their default is the answer; without one they fail
  kAuto,      // the assistant is asked instead, unless they are exclusive
};

// "auto", "defaults", "deny"; none for anything else.
std::optional<DetachedPolicy> ParseDetachedPolicy(std::string_view name);

struct RoutingInput {
  TargetKind target = TargetKind::kUser;
  bool attended = false;  // a user is present
  DetachedPolicy detached = DetachedPolicy::kDeny;
  bool exclusive = false;              // only a person can answer it
  bool secret = false;                 // its answer type is `secret`
  bool has_default = false;            // one that fits
  bool has_remembered = false;         // an answer of this turn, to be used again
  bool static_fits = false;            // kStatic: the answer is one that the question takes
  bool static_names_question = false;  // kStatic: it was configured for exactly this question
};

enum class RouteKind : std::uint8_t { kPrompt, kAskAssistant, kUseDefault, kUseStatic, kUseRemembered, kFail };

struct Route {
  RouteKind kind = RouteKind::kFail;
  std::string_view reason;  // kFail: with what the inquiry is cancelled
  bool operator==(const Route&) const = default;
};

Route DecideRoute(const RoutingInput& input);

// What follows when the assistant has said no.
enum class Escalation : std::uint8_t {
  kNone,        // its answer is final
  kPrompt,      // the user is asked
  kUseDefault,  // no user is present; the default is the answer
};

Escalation DecideEscalation(TargetKind target, bool attended, DetachedPolicy detached, bool has_default);

}  // namespace turnlog
